"""Fields, planes and regrets at print size."""
