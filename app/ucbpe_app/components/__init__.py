"""Parts of pages that Panel and panel-material-ui do not have."""
