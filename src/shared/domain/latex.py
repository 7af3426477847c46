r"""LaTeX whose backslash happens to start a JSON escape: `\times` would become a tab and `imes`.

In valid JSON the escape stands, always. In a damaged text the model wrote its backslashes unescaped, and a control
character in front of the rest of a LaTeX command is a backslash that was meant as one. Backspace and form feed do
not occur in text, so before a letter they are always LaTeX; tab, newline and carriage return are where the rest
spells a command. Short rests that are also words (`\to`, `\not`, `\nu`) count only beside other LaTeX.

A backslash before the name of a command says that a string is mathematics. One before any other letter (`\d`,
`\server`) says that the model wrote a regular expression or a path, in which every backslash is itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from src.shared.domain.expression import expression

_TAB = (
    "imes|ext(?:bf|it|rm|tt|sf|sc|up|normal|style|color)?|heta|au|anh?|riangle(?:left|right|q)?|frac|binom|ilde|"
    "herefore|hinspace|hickspace|ag|op|ldots"
)
_NEWLINE = (
    "eq|abla|otin|leq|geq|eg|olimits|onumber|subseteq|supset(?:eq)?|rightarrow|leftarrow|earrow|warrow|gtr|cong|sim|"
    "prec|succ|ormalsize"
)
_RETURN = "ight(?:arrow|leftharpoons|harpoonup|harpoondown)?|ho|angle|floor|ceil|brace|brack|vert|group|oot|estriction"
_LINE_REST = rf"t(?:{_TAB})(?![a-z])|n(?:{_NEWLINE})(?![a-z])|r(?:{_RETURN})(?![a-z])"
COMMAND_REST = rf"(?:[bf](?=[A-Za-z])|{_LINE_REST})"
"""A command that looks like an escape, without its backslash."""
_COMMAND = rf"\\{COMMAND_REST}"

COMMAND = expression(_COMMAND)
"""A backslash, at the position, that starts a LaTeX command and a JSON escape."""
_SHORT_REST = r"(?:t(?:o|op|an)|n(?:u|e|ot|i|mid|less|exists|parallel|subset)|r(?:m|e))(?![A-Za-z])"
SHORT_COMMAND = expression(rf"\\{_SHORT_REST}")
"""The same for commands whose rest is also a word."""
LINE_COMMAND_REST = rf"{_LINE_REST}|{_SHORT_REST}"
"""A command of either sort whose first letter stands in an escape for a tab or a line end, without its backslash."""
EVIDENCE = expression(rf"\$|\\[^\"\\/bfnrtu\s]|{_COMMAND}")
"""What says that a string holds LaTeX."""
ANY_COMMAND = expression(rf"{_COMMAND}|{SHORT_COMMAND.pattern}")
"""What to look for before reading a text: without it there is nothing to decide."""


def is_command(text: str, at: int, *, evident: bool) -> bool:
    """Whether the backslash at `at` starts a LaTeX command; `evident` says that there is other LaTeX beside it."""
    return COMMAND.match(text, at) is not None or (evident and SHORT_COMMAND.match(text, at) is not None)


_PAIR_OR_COMMAND = expression(rf"\\(?:\\|(?P<command>{COMMAND_REST}))")
"""What begins with a backslash is found at C's speed."""


_PAIR_OR_ANY_COMMAND = expression(rf"\\(?:\\|(?P<command>{COMMAND_REST}|{SHORT_COMMAND.pattern[2:]}))")
_NAME_BEHIND = expression(r"\\[A-Za-z]++")


def commands(text: str, start: int, end: int, *, short: bool = False) -> Iterator[tuple[int, str]]:
    """Where in `text[start:end]` an escape looks like LaTeX, and like which command; an escaped backslash is none.

    With `short`, those count too whose rest is also a word.
    """
    for found in (_PAIR_OR_ANY_COMMAND if short else _PAIR_OR_COMMAND).finditer(text, start, end):
        if found["command"]:
            yield found.start(), _NAME_BEHIND.match(text, found.start()).group()  # type: ignore[union-attr]  # it begins with a letter


_NAMES = frozenset(
    """
    Alpha Beta Chi Delta Epsilon Eta Gamma Iota Kappa Lambda Mu Nu Omega Phi Pi Psi Rho Sigma Tau Theta Upsilon Xi Zeta
    alpha beta chi delta epsilon eta gamma iota kappa lambda mu omega phi pi psi sigma upsilon varepsilon varphi varpi
    varrho varsigma vartheta xi zeta aleph ell hbar imath infty jmath partial wp emptyset varnothing
    Arrow Downarrow Leftarrow Leftrightarrow Longleftarrow Longleftrightarrow Longrightarrow Rightarrow Uparrow
    downarrow gets hookrightarrow iff implies impliedby leadsto leftarrow leftrightarrow longleftarrow longrightarrow
    mapsto uparrow updownarrow xleftarrow xrightarrow
    approx asymp circ bullet cap cup cdot cdots cdotp cong colon dagger ddagger ddots div doteq dots dotsb dotsc dotsm
    equiv exists forall ge geq geqslant gg gt in land ldots ldotp le leq leqslant ll lnot lor lt mid mod models mp odot
    oplus oslash otimes parallel perp pm pmod bmod prec preceq prime propto setminus sim simeq sqcap sqcup star subset
    subseteq subsetneq succ succeq supset supseteq vdots vdash vee wedge wr bigcap bigcup bigoplus bigotimes bigvee
    bigwedge bot because amalg ast
    arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf int iiint iint oint ker lg lim liminf
    limsup ln log max min mathop operatorname prod sec sin sinh sum sup tanh choose
    acute bar breve check ddot dot grave hat mathring overarc overbrace overleftarrow overline overrightarrow overset
    underbrace underline underset vec widehat widetilde cancel stackrel substack
    binom cfrac dbinom dfrac frac sqrt boxed fbox mbox hbox phantom hphantom vphantom
    begin end displaystyle scriptstyle item label left lbrace lbrack lceil lfloor langle lvert lVert middle limits big
    Big bigg Bigg bigl bigr Bigl Bigr biggl biggr Biggl Biggr over hline cline hspace vspace quad qquad space color
    includegraphics documentclass usepackage section subsection ref cite caption centering
    bf bold boldsymbol bm cal em emph it itshape bfseries mathbb mathbf mathcal mathfrak mathit mathrm mathscr mathsf
    mathtt pmb sf small large Large LaTeX TeX degree angle measuredangle sphericalangle square blacksquare Box diamond
    Diamond checkmark copyright dollar euro pounds
    """.split()
)
_NAME = expression(r"\\([A-Za-z]++)")


def is_named(text: str, at: int) -> bool:
    """Whether the backslash at `at` stands before the whole name of a LaTeX command that no tab or line end begins."""
    name = _NAME.match(text, at)
    return name is not None and name[1] in _NAMES
