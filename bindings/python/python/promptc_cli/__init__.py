"""promptc in Python: builds system prompts in this process, the same bytes as the program `promptc`.

>>> import promptc_cli as promptc
>>> project = promptc.Project("examples/sdk")
>>> project.build({"user": "Ann"}).text.splitlines()[0][:32]
'You are the assistant of an onli'
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, TypedDict, Union, cast

from . import _native
from ._errors import Diagnostic, Error, InternalError, diagnostics_of
from ._facts import Facts, to_json
from ._native import __version__
from ._program import program

if TYPE_CHECKING:
    import datetime

    from typing_extensions import Unpack

__all__ = [
    "Diagnostic",
    "Document",
    "EmitOptions",
    "Error",
    "Facts",
    "InternalError",
    "Layer",
    "Project",
    "Prompt",
    "__version__",
    "program",
    "usage",
]

#: The name of a file or folder.
Path = Union[str, "os.PathLike[str]"]
# : The current time: RFC 3339, or a datetime with a time zone.
Time = Union[str, "datetime.datetime"]


class Document(dict[str, Any]):
    """A JSON document of promptc as a dict; `promptc schema` describes it. `text` is the document as the program writes it."""

    def __init__(self, text: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(json.loads(text))
        self.text = text
        #: Warnings and notes of the call.
        self.diagnostics = diagnostics


def _document(answer: tuple[str, str]) -> Document:
    return Document(answer[0], diagnostics_of(answer[1]))


class Layer(NamedTuple):
    """A layer that is in a prompt."""

    name: str
    tier: str
    #: The text of the request that it is in: `tools`, `system` or `user`.
    channel: str
    #: How often it may change: `never`, `deploy`, `session`, `day` or `turn`.
    changes: str
    text: str
    #: Its bytes in the text of the channel.
    start: int
    end: int
    sha256: str


class EmitOptions(TypedDict, total=False):
    """The options of `promptc emit` that a build does not have."""

    prefill: Optional[str]
    ttl: Union[str, Mapping[str, str], None]
    last: Optional[int]
    automatic: bool
    key: Optional[str]
    cached: Optional[str]
    create: bool
    max_tokens: Optional[int]
    markers: Optional[str]
    allow_unknown_model: bool
    providers: Sequence[Path]


class Prompt:
    """A prompt with its map. It can be pickled, and compared by what it holds."""

    def __init__(self, native: _native.Prompt) -> None:
        self._native = native

    @property
    def name(self) -> Optional[str]:
        """The manifest's `name`."""
        return self._native.name

    @property
    def fingerprint(self) -> str:
        """The hash of the system prompt."""
        return self._native.fingerprint

    @cached_property
    def text(self) -> str:
        """The system prompt.

        >>> Project("examples/sdk").build({"user": "Ann"}, now="2026-11-27T09:00:00Z").text[-37:]
        'talking to Ann.\\n\\nToday is 2026-11-27.'
        """
        return self._native.text("system")

    @cached_property
    def channels(self) -> dict[str, str]:
        """The texts of the request by their channels: `tools`, `system` and `user`, empty where the prompt has none."""
        return {name: self._native.text(name) for name in ("tools", "system", "user")}

    @cached_property
    def artifact(self) -> dict[str, Any]:
        """The whole artifact, as `promptc build --format json` writes it."""
        return cast("dict[str, Any]", json.loads(self.to_json()))

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """The layers of all channels, in their order.

        >>> [layer.name for layer in Project("examples/sdk").build().layers]
        ['identity', 'rules', 'user', 'date']
        """
        return tuple(Layer(*fields) for fields in self._native.layers())

    @cached_property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Warnings and notes of the build. Cut and dropped text is in `notices` of the artifact."""
        return diagnostics_of(self._native.findings())

    def to_json(self) -> str:
        """The artifact as text: the bytes that `promptc build --format json` writes."""
        return self._native.to_json()

    @classmethod
    def from_json(cls, artifact: str) -> Prompt:
        """The prompt of an artifact, which may be of an earlier build or of the program.

        >>> prompt = Project("examples/sdk").build(scenario="friday")
        >>> Prompt.from_json(prompt.to_json()) == prompt
        True
        """
        return cls(_native.read(artifact))

    def blame(
        self,
        offset: Optional[int] = None,
        *,
        line: Union[int, str, None] = None,
        find: Optional[str] = None,
        channel: str = "system",
    ) -> Document:
        """The sources of a place: a byte by its offset, a line (`3`, or `"3:10"` with a column), or wherever a text is.

        >>> prompt = Project("examples/sdk").build({"user": "Ann"})
        >>> prompt.blame(find="Ann")["places"][0]["stretches"][0]["source"]["fact"]
        'user'
        """
        return _document(self._native.blame(channel, offset, None if line is None else str(line), find))

    def explain(
        self,
        layer: Optional[str] = None,
        *,
        budget: bool = False,
        model: Optional[str] = None,
        tokenizer: Optional[str] = None,
        now: Optional[Time] = None,
    ) -> Document:
        """The sources of each layer or of one, the sums of budgets, or where breakpoints are for a model."""
        return _document(self._native.explain((layer, budget, model, tokenizer, _time(now))))

    def diff(self, next: Prompt, *, name: str = "a", next_name: str = "b") -> Document:
        """Where the prefix breaks between this prompt and the one that follows, and why.

        >>> project = Project("examples/sdk")
        >>> days = [project.build(now=f"2026-11-2{day}T09:00:00Z") for day in (6, 7)]
        >>> days[0].diff(days[1])["comparisons"][0]["break"]["layer"]
        'date'
        """
        return _document(self._native.diff(name, next._native, next_name))

    def emit(
        self,
        shape: str,
        model: str,
        messages: Optional[Sequence[Mapping[str, Any]]] = None,
        *,
        prefill: Optional[str] = None,
        ttl: Union[str, Mapping[str, str], None] = None,
        last: Optional[int] = None,
        automatic: bool = False,
        key: Optional[str] = None,
        cached: Optional[str] = None,
        create: bool = False,
        max_tokens: Optional[int] = None,
        markers: Optional[str] = None,
        allow_unknown_model: bool = False,
        providers: Sequence[Path] = (),
        tokenizer: Optional[str] = None,
        now: Optional[Time] = None,
    ) -> Document:
        """The body of a request with this prompt and the conversation so far; options as of `promptc emit`. Nothing is sent.

        `ttl` is a time for all breakpoints, or times by tier.

        >>> prompt = Project("examples/sdk").build({"user": "Ann"})
        >>> body = prompt.emit("anthropic", "claude-opus-5-5", [{"role": "user", "content": "Hello"}], now="2026-11-27T09:00:00Z")
        >>> sorted(body)
        ['max_tokens', 'messages', 'model', 'system']
        """
        said = None if messages is None else json.dumps(messages, allow_nan=False)
        times: list[tuple[Optional[str], str]] = [] if ttl is None else [(None, ttl)] if isinstance(ttl, str) else [*ttl.items()]
        tables = [os.fspath(table) for table in providers]
        wish = (said, prefill, times, last, automatic, key, cached, create, max_tokens, markers, allow_unknown_model, tables)
        return _document(self._native.emit(shape, model, wish, tokenizer, _time(now)))

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Prompt {self.name or ''} {self.fingerprint}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Prompt) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[Any, ...]:
        return Prompt.from_json, (self.to_json(),)


class Project:
    """A manifest that stays open, from which prompts are built. Threads may share it, and others run while it works.

    `path` is a file, a folder with a `promptc.kdl`, or `builtin:NAME@N`; without it the nearest `promptc.kdl` counts. `roots` are
    folders by the names of roots; of one that is `many` there may be several. `overlay` is text of a manifest, laid over that of
    `path` as one that `extends` it, so that no file is written: it counts as a file in that folder.

    >>> project = Project("examples/sdk", overlay='refine identity { text "You are Page." }')
    >>> project.build().text[:13]
    'You are Page.'
    """

    def __init__(
        self,
        path: Optional[Path] = None,
        *,
        roots: Optional[Mapping[str, Union[Path, Sequence[Path]]]] = None,
        overlay: Optional[str] = None,
    ) -> None:
        self._roots: list[tuple[str, str]] = []
        for name, folders in (roots or {}).items():
            several = [folders] if isinstance(folders, (str, os.PathLike)) else folders
            self._roots += [(name, os.fspath(folder)) for folder in several]
        self._native = _native.Project(None if path is None else os.fspath(path), overlay)

    def _inputs(
        self,
        facts: Optional[Facts],
        set: Optional[Mapping[str, str]],
        scenario: Optional[str],
        now: Optional[Time],
        tokenizer: Optional[str],
        hermetic: bool,
    ) -> tuple[Optional[str], list[tuple[str, str]], list[tuple[str, str]], Optional[str], Optional[str], Optional[str], bool]:
        sets = [] if set is None else [*set.items()]
        return to_json(facts), sets, self._roots, scenario, _time(now), tokenizer, hermetic

    def build(
        self,
        facts: Optional[Facts] = None,
        *,
        set: Optional[Mapping[str, str]] = None,
        scenario: Optional[str] = None,
        now: Optional[Time] = None,
        tokenizer: Optional[str] = None,
        hermetic: bool = False,
        keep_inputs: bool = False,
    ) -> Prompt:
        """Builds the prompt. `set` gives facts as texts, as `--set` of the program does; the other options are those of the program, too.
        With `keep_inputs` the prompt and its artifact carry what it was built from, and a comparison of two such prompts has causes.

        >>> import datetime
        >>> noon = datetime.datetime(2026, 11, 27, 12, tzinfo=datetime.timezone.utc)
        >>> print(Project("examples/sdk").build({"user": "Ann"}, now=noon).layers[-1].text.strip())
        Today is 2026-11-27.
        >>> Project("examples/sdk").build({"usr": "Ann"})
        Traceback (most recent call last):
            ...
        promptc_cli.Error: error[unknown-fact]: ...
        """
        return Prompt(self._native.build(self._inputs(facts, set, scenario, now, tokenizer, hermetic), keep_inputs))

    def batch(
        self,
        facts: Iterable[Facts],
        *,
        set: Optional[Mapping[str, str]] = None,
        scenario: Optional[str] = None,
        now: Optional[Time] = None,
        tokenizer: Optional[str] = None,
        hermetic: bool = False,
        jobs: Optional[int] = None,
    ) -> Iterator[Union[Prompt, Error]]:
        """Builds a prompt for each facts, in their order, on several threads. A failed build is an `Error` in its place.

        `facts` is read in the thread that asks for prompts, a little ahead of them, so it may be endless.

        >>> for made in Project("examples/sdk").batch([{"user": "Ann"}, {"usr": "Bo"}]):
        ...     print(made.code if isinstance(made, Error) else made.layers[2].text.strip())
        You are talking to Ann.
        unknown-fact
        """
        if jobs is not None and jobs < 1:
            raise ValueError("jobs is a number of threads")
        rows = (to_json(one) or "{}" for one in facts)
        built = self._native.batch(self._inputs(None, set, scenario, now, tokenizer, hermetic), rows, jobs)
        return (made if isinstance(made, Error) else Prompt(made) for made in built)

    def check(
        self,
        facts: Optional[Facts] = None,
        *,
        sources: bool = False,
        usage: Sequence[Path] = (),
        min_prefix: Optional[int] = None,
        base: Optional[str] = None,
        set: Optional[Mapping[str, str]] = None,
        scenario: Optional[str] = None,
        now: Optional[Time] = None,
        tokenizer: Optional[str] = None,
        hermetic: bool = False,
    ) -> Document:
        """The findings about the cached prefix: the document of `promptc check --format json`.

        `sources` builds every scenario, or what is given, for the rules that read sources.

        >>> Project("examples/sdk").check()["manifests"][0]["findings"]
        []
        """
        inputs = self._inputs(facts, set, scenario, now, tokenizer, hermetic)
        return _document(self._native.check(inputs, sources, [os.fspath(log) for log in usage], min_prefix, base))

    def explain(
        self,
        facts: Optional[Facts] = None,
        *,
        layer: Optional[str] = None,
        budget: bool = False,
        model: Optional[str] = None,
        set: Optional[Mapping[str, str]] = None,
        scenario: Optional[str] = None,
        now: Optional[Time] = None,
        tokenizer: Optional[str] = None,
        hermetic: bool = False,
    ) -> Document:
        """The sources of each layer or of one, or why it is absent, the sums of budgets, or where breakpoints are for a model.

        >>> Project("examples/sdk").explain(layer="rules")["present"]
        True
        """
        inputs = self._inputs(facts, set, scenario, now, tokenizer, hermetic)
        return _document(self._native.explain(inputs, (layer, budget, model, tokenizer, _time(now))))

    def diff(
        self,
        a: Optional[Path] = None,
        b: Optional[Path] = None,
        facts: Optional[Facts] = None,
        *,
        recorded: bool = False,
        store: Optional[Path] = None,
        set: Optional[Mapping[str, str]] = None,
        scenario: Optional[str] = None,
        now: Optional[Time] = None,
        tokenizer: Optional[str] = None,
        hermetic: bool = False,
    ) -> Document:
        """Where the prefix breaks between two operands of `promptc diff`, and why: files, `snapshot:NAME`, `git:REV`, `session:ID`, or
        `.` for a build now. Without A all snapshots are compared. Two prompts are compared by `Prompt.diff`.
        """
        inputs = self._inputs(facts, set, scenario, now, tokenizer, hermetic)
        return _document(self._native.diff(_path(a), _path(b), inputs, _path(store), recorded))

    def session(
        self,
        id: str,
        facts: Optional[Facts] = None,
        *,
        event: Optional[str] = None,
        refresh: bool = False,
        store: Optional[Path] = None,
        set: Optional[Mapping[str, str]] = None,
        scenario: Optional[str] = None,
        now: Optional[Time] = None,
        tokenizer: Optional[str] = None,
        hermetic: bool = False,
    ) -> Prompt:
        """The frozen prompt of a session, built if there is none: the same bytes at each call. `event` names an event of the session.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     project, store = Project("examples/sdk"), f"{folder}/store.db"
        ...     first = project.session("chat-7", {"user": "Ann"}, store=store)
        ...     again = project.session("chat-7", store=store)
        >>> first.text == again.text, again.artifact["session"]["state"]
        (True, 'restored')
        """
        inputs = self._inputs(facts, set, scenario, now, tokenizer, hermetic)
        return Prompt(self._native.session(id, inputs, event, refresh, _path(store)))

    def emit(
        self,
        shape: str,
        model: str,
        messages: Optional[Sequence[Mapping[str, Any]]] = None,
        facts: Optional[Facts] = None,
        *,
        set: Optional[Mapping[str, str]] = None,
        scenario: Optional[str] = None,
        now: Optional[Time] = None,
        tokenizer: Optional[str] = None,
        hermetic: bool = False,
        **options: Unpack[EmitOptions],
    ) -> Document:
        """Builds the prompt and makes the body of a request; `options` are those of `Prompt.emit`.

        In a conversation, build once and call `Prompt.emit` at each turn: what changed in between must not break its prefix.
        """
        prompt = self.build(facts, set=set, scenario=scenario, now=now, tokenizer=tokenizer, hermetic=hermetic)
        return prompt.emit(shape, model, messages, now=now, tokenizer=tokenizer, **options)


def usage(*logs: Path, by: Sequence[str] = (), since: Optional[str] = None, model: Optional[str] = None) -> Document:
    """The bill of the requests of logs and recordings, and its avoidable part: the document of `promptc usage`.

    Without a log it reads what agents wrote on this machine. `by` names keys such as `day`, `model` and `cause`; `since` is a day, or
    `7d`. Nothing leaves the machine.
    """
    return _document(_native.usage([os.fspath(log) for log in logs], [*by], since, model))


def _path(name: Optional[Path]) -> Optional[str]:
    return None if name is None else os.fspath(name)


def _time(now: Optional[Time]) -> Optional[str]:
    return now if now is None or isinstance(now, str) else now.isoformat()


for _class in (Diagnostic, Error, InternalError):
    # Where they are imported from is where they are said to be.
    _class.__module__ = __name__
