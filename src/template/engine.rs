//! The engine: evaluates expressions and renders templates.

use super::access::Log;
use super::failure::Failure;
use super::guard::Guarded;
use super::limit::FUEL;
use super::objects::Context;
use super::scope::Scope;
use super::sink::{Sink, Source};
use super::syntax::{self, Form};
use super::weigh;
use super::{builtin, filters, print};
use crate::diagnostic::TEMPLATE_NOT_FOUND;
use crate::prompt::{Ingredient, Ingredients};
use crate::text::Text;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Expression, UndefinedBehavior};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The most levels to which templates may call themselves and each other.
const RECURSION: usize = 64;

/// The template engine with the language's settings and the templates of one program.
#[derive(Debug)]
pub struct Engine {
    /// Made when the first template is rendered.
    env: OnceLock<Environment<'static>>,
    templates: Arc<BTreeMap<Arc<str>, Source>>,
    /// Whether one of them makes a macro.
    macros: bool,
    /// Expressions that are cached once they were read.
    expressions: BTreeMap<Arc<str>, OnceLock<Compiled>>,
    /// The steps that all templates took so far.
    steps: AtomicU64,
}

/// The result of an expression.
#[derive(Debug, Clone)]
pub struct Evaluated {
    /// Its value; undefined if it is missing.
    pub value: Value,
    /// The facts and lets that were read, in order of first read.
    pub facts: Vec<Arc<str>>,
    /// The calls of `exists()` and `loaded()`, with their results.
    pub asked: Vec<Ingredient>,
}

impl Evaluated {
    /// The value as a condition: false, 0, empty and missing are false.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.value.is_true()
    }
}

/// The result of a template.
#[derive(Debug, Clone)]
pub struct Rendered {
    /// Its text with the owner of each byte.
    pub text: Text,
    /// The facts and lets that were read, in order of first read.
    pub facts: Vec<Arc<str>>,
}

/// An expression that was read once, to be evaluated in many scopes.
#[derive(Debug)]
pub struct Compiled {
    expression: Expression<'static, 'static>,
    source: String,
    guarded: Guarded,
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

impl Engine {
    /// An engine without templates.
    #[must_use]
    pub fn new() -> Self {
        Self {
            env: OnceLock::new(),
            templates: Arc::default(),
            macros: false,
            expressions: BTreeMap::new(),
            steps: AtomicU64::new(0),
        }
    }

    /// The steps that the templates took so far, those of expressions aside.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Adds a template under the name that `include`, `extends` and `import` use; `ingredient` is its identity in the
    /// map. A template of that name is replaced.
    ///
    /// # Errors
    /// When the source is not well formed.
    pub fn add_template(
        &mut self,
        name: &str,
        source: impl Into<Arc<str>>,
        ingredient: Ingredient,
    ) -> Result<(), Failure> {
        let text: Arc<str> = source.into();
        syntax::bound(&text, Form::Template)
            .and_then(|()| syntax::bounded_template(&text).map(drop))
            .map_err(|f| in_template(f, name))?;
        self.add_analysed_template(name, text, ingredient);
        Ok(())
    }

    /// As [`Engine::add_template`], of a source that [`super::analyse::template`] has taken. It is known to be well formed, so
    /// it is compiled when it is first rendered.
    pub fn add_analysed_template(&mut self, name: &str, text: Arc<str>, ingredient: Ingredient) {
        if self.env.take().is_some() {
            // The memory of the others is freed with it.
            let others = Arc::make_mut(&mut self.templates).values_mut();
            others.for_each(Source::forget);
        }
        let source = Source::new(name.into(), text, ingredient);
        self.macros |= source.makes_macros();
        Arc::make_mut(&mut self.templates).insert(source.name.clone(), source);
    }

    /// The engine, which reads templates on demand.
    fn env(&self) -> &Environment<'static> {
        self.env.get_or_init(|| {
            let templates = self.templates.clone();
            let mut env = dialect().clone();
            env.set_loader(move |name| Ok(templates.get(name).and_then(Source::read)));
            env
        })
    }

    /// Reads an expression.
    ///
    /// # Errors
    /// When it is not well formed.
    pub fn compile(&self, source: &str) -> Result<Compiled, Failure> {
        syntax::bound(source, Form::Expression)?;
        Self::compile_bounded(source)
    }

    fn compile_bounded(source: &str) -> Result<Compiled, Failure> {
        let tree = syntax::bounded_expression(source)?;
        let mut guarded = Guarded::expression(source, &tree);
        let expression = dialect()
            .compile_expression_owned(std::mem::take(&mut guarded.text))
            .map_err(|e| Failure::of(&e, Form::Expression, |_| Some((source, Some(&guarded)))))?;
        Ok(Compiled {
            expression,
            source: source.to_owned(),
            guarded,
        })
    }

    /// Keeps the expression `source`, which [`super::analyse::expression`] has accepted, from its first evaluation on,
    /// so that it is read once however often it is evaluated.
    pub fn keep_expression(&mut self, source: impl Into<Arc<str>>) {
        self.expressions.entry(source.into()).or_default();
    }

    /// Evaluates an expression.
    ///
    /// # Errors
    /// When it is not well formed or fails.
    pub fn evaluate(&self, source: &str, scope: &Scope) -> Result<Evaluated, Failure> {
        let Some(kept) = self.expressions.get(source) else {
            return self.compile(source)?.evaluate(scope);
        };
        let compiled = match kept.get() {
            Some(compiled) => compiled,
            None => {
                let compiled = Self::compile_bounded(source)?;
                kept.get_or_init(|| compiled)
            }
        };
        compiled.evaluate(scope)
    }

    /// Renders the template called `name`. The facts that it reads and the templates that it runs become ingredients,
    /// also where they print nothing.
    ///
    /// # Errors
    /// When it fails.
    pub fn render(
        &self,
        name: &str,
        scope: &Scope,
        ingredients: &mut Ingredients,
    ) -> Result<Rendered, Failure> {
        let source = self.templates.get(name).ok_or_else(|| {
            let message = format!("there is no template called `{name}`");
            Failure::new(TEMPLATE_NOT_FOUND, message)
        })?;
        let failed = |e: &minijinja::Error| {
            Failure::of(e, Form::Template, |n| {
                let source = self.templates.get(n)?;
                Some((&*source.text, source.guarded()))
            })
        };
        let template = self.env().get_template(name).map_err(|e| failed(&e))?;
        let log = Arc::new(Log::of_render(source.name.clone()));
        let context = Value::from_object(Context::new(scope, &log));
        let engine = (self.env(), &*self.templates, self.macros);
        let mut sink = Sink::new(source, engine, &scope.values, &log, ingredients);
        let rendered = template
            .render_captured_to(context, &mut sink)
            .map_err(|e| failed(&e))?;
        let steps = rendered.state().fuel_levels().map_or(0, |(steps, _)| steps);
        self.steps.fetch_add(steps, Ordering::Relaxed);
        drop(rendered);
        let (text, facts) = sink.finish();
        Ok(Rendered { text, facts })
    }
}

impl Compiled {
    /// Evaluates it in a scope.
    ///
    /// # Errors
    /// When it fails.
    pub fn evaluate(&self, scope: &Scope) -> Result<Evaluated, Failure> {
        let log = Arc::new(Log::of_expression());
        let context = Value::from_object(Context::new(scope, &log));
        let value = self.expression.eval(context).and_then(print::valid);
        // A `let` of lets could double with each of them.
        let value = value.and_then(|value| {
            print::bounded("~", value.as_str().map_or(0, str::len))?;
            weigh::given(value)
        });
        let value = value.map_err(|e| {
            let source = (&*self.source, Some(&self.guarded));
            Failure::of(&e, Form::Expression, |_| Some(source))
        })?;
        Ok(Evaluated {
            value,
            facts: log.take_facts(),
            asked: log.take_questions(),
        })
    }
}

/// The language's settings without any template, made once. Expressions use no templates, so they live here and outlast
/// every engine.
pub(super) fn dialect() -> &'static Environment<'static> {
    static DIALECT: OnceLock<Environment<'static>> = OnceLock::new();
    DIALECT.get_or_init(|| {
        let mut env = Environment::new();
        env.set_syntax(syntax::config());
        env.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        env.set_auto_escape_callback(|_| AutoEscape::None);
        env.set_formatter(print::format);
        env.set_fuel(Some(FUEL));
        env.set_recursion_limit(RECURSION);
        // With debug on the engine would collect values for its messages. Positions are available without it.
        env.set_debug(false);
        builtin::install(&mut env);
        filters::install(&mut env);
        weigh::install(&mut env);
        env
    })
}

fn in_template(mut failure: Failure, name: &str) -> Failure {
    failure.template = Some(name.to_owned());
    failure
}
