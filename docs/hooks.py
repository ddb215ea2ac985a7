"""Hooks of MkDocs: files outside docs/ that a page links to become pages of the site.

So a link works in the site as it works in the repository. A Markdown file is included as it is (the code book
is `data/README.md`), a source file as a block of code, a folder as a list of its files. Pictures and binary files are
copied. The search finds Markdown pages only: sources and tables would be most of its index.
"""

import json
import posixpath
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[1]
#: A link or the address of a picture, outside of code.
LINK = re.compile(r"(?<=\]\()([^)\s]+)(?=\))")
CODE = re.compile(r"^(```|~~~).*?^\1$", re.MULTILINE | re.DOTALL)
#: Suffixes of the files that the site copies as they are.
COPIED = (".bin", ".png", ".svg")
#: Largest size of the search index in bytes, which each visitor who searches loads.
INDEX_LIMIT = 2_000_000
#: Words of reference/index.md that link to a page which the site's build writes, so that the repository has no dead link.
COMMAND_LINE = "`tetrastat COMMAND --help`"
LANGUAGES = {".rs": "rust", ".py": "python", ".sh": "bash", ".toml": "toml", ".R": "r", ".Rmd": "markdown", ".js": "javascript", ".json": "json"}


def page_of(path):
    """The address in the site of a path in the repository; `None` for one that stays outside of it."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.endswith(COPIED):
        return path
    if path.endswith(".md"):
        return "repository.md" if path == "README.md" else path
    return f"source/{path}.md"


def path_of(page):
    """The path in the repository of a page of the site."""
    if page == "repository.md":
        return "README.md"
    if page.startswith("source/"):
        return page.removeprefix("source/").removesuffix(".md")
    return f"docs/{page}" if (ROOT / "docs" / page).exists() else page


def targets(path, text):
    """The links of a page of the repository: each link, its path in the repository, and its anchor."""
    for link in LINK.findall(CODE.sub("", text)):
        if "://" in link or link.startswith(("#", "mailto:")):
            continue
        file, _, anchor = link.partition("#")
        yield link, posixpath.normpath(posixpath.join(posixpath.dirname(path), file)), anchor


def content_of(path):
    """The Markdown text of a path in the repository that is not a page of docs/."""
    file = ROOT / path
    if file.is_dir():
        names = sorted(entry.name for entry in file.iterdir() if entry.is_file())
        return f"# {path}\n\n" + "".join(f"- [{name}]({name})\n" for name in names)
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".md":
        return text
    return f"# {path}\n\n````{LANGUAGES.get(file.suffix, 'text')}\n{text}\n````\n"


def on_files(files, config):
    """Adds what pages link to outside of docs/, and what that links to."""
    waiting = [path_of(file.src_uri) for file in files.documentation_pages()]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        for _, target, _ in targets(path_as_folder(path), content_of(path)):
            if target.startswith("docs/") or target in seen or not (ROOT / target).exists():
                continue
            seen.add(target)
            if target.endswith(COPIED):
                files.append(File.generated(config, target, abs_src_path=str(ROOT / target)))
                continue
            waiting.append(target)
            files.append(File.generated(config, page_of(target), content=content_of(target)))
    return files


def on_page_markdown(markdown, page, config, files):
    """Excludes sources from the search, links the page of commands, and points links to the pages of the site."""
    if page.file.src_uri.startswith("source/"):
        page.meta["search"] = {"exclude": True}
    if page.file.src_uri == "reference/index.md":
        markdown = markdown.replace(COMMAND_LINE, f"[{COMMAND_LINE}](commands.md)")
    return with_links_of_site(markdown, page)


def on_post_build(config):
    """Fails if the search index holds sources or exceeds its limit. Hooks run after the plugin that writes the index."""
    index = Path(config.site_dir, "search", "search_index.json")
    size = index.stat().st_size
    places = [document["location"] for document in json.loads(index.read_text(encoding="utf-8"))["docs"]]
    sources = sorted({place.partition("#")[0] for place in places if place.startswith("source/")})
    if sources:
        raise PluginError(f"the search index holds {len(sources)} sources, such as {sources[0]}: on_page_markdown excludes them")
    if size > INDEX_LIMIT:
        raise PluginError(f"the search index has {size:,} bytes, more than {INDEX_LIMIT:,}: exclude pages, or raise INDEX_LIMIT")


def path_as_folder(path):
    """A folder's list links to the files in it."""
    return f"{path}/list" if (ROOT / path).is_dir() else path


def with_links_of_site(markdown, page):
    """Points the links of a page to the pages of the site. MkDocs reports those that lead nowhere."""
    path = path_of(page.file.src_uri)
    found = {}
    for link, target, anchor in targets(path_as_folder(path), markdown):
        address = posixpath.relpath(page_of(target), posixpath.dirname(page.file.src_uri) or ".")
        found[link] = f"{address}#{anchor}" if anchor else address
    blocks = CODE.finditer(markdown)
    parts, end = [], 0
    for block in blocks:
        parts += [LINK.sub(lambda link: found.get(link[0], link[0]), markdown[end : block.start()]), block[0]]
        end = block.end()
    return "".join([*parts, LINK.sub(lambda link: found.get(link[0], link[0]), markdown[end:])])
