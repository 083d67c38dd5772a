"""A lab as data: lab.toml, the rules of its stages, the marks that cut a skeleton."""
