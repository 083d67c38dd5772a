"""A lab as data: lab.toml, the rules of its stages, the marks for cutting a skeleton."""
