mod lex;
mod literal;
mod structure;
mod syntax;
