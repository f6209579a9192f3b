"""Frame -> `Picture`: what each kind of picture shows, as values that know no renderer."""
