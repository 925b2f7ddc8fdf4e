"""Small .xlsx files, written part by part, so that tests can put anything into them."""

from datetime import date, datetime
from xml.sax.saxutils import escape
from zipfile import ZipFile

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
STYLES = f"""<styleSheet xmlns="{MAIN}"><fonts><font/></fonts><fills><fill/></fills><borders><border/></borders>
<cellStyleXfs><xf/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs>
</styleSheet>"""
DAY_ZERO = datetime(1899, 12, 30)


class Raw(str):
    """The inside of a cell as XML, with its attributes before a bar: 't="e"|<v>#N/A</v>'."""


def make_cell(value, place):
    if isinstance(value, Raw):
        about, _, inside = value.partition("|")
        return f'<c r="{place}" {about}>{inside}</c>'
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, date):
        moment = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
        days = (moment - DAY_ZERO).total_seconds() / 86_400
        return f'<c r="{place}" s="{2 if isinstance(value, datetime) else 1}"><v>{days!r}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value!r}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value)}</t></is></c>'


def make_sheet(rows, merged=(), top=1):
    lines = [
        f'<row r="{at}">{"".join(make_cell(cell, f"{chr(65 + i)}{at}") for i, cell in enumerate(row))}</row>'
        for at, row in enumerate(rows, top)
    ]
    joined = "".join(f'<mergeCell ref="{place}"/>' for place in merged)
    joined = f"<mergeCells>{joined}</mergeCells>" if merged else ""
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData>{joined}</worksheet>'


def write_workbook(path, rows=(), *, merged=(), top=1, **others):
    """Write a workbook with a sheet "first", and one more for each keyword."""
    sheets = {"first": make_sheet(rows, merged, top)} | {name: make_sheet(cells) for name, cells in others.items()}
    kinds = (
        f'<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.{BOOK}"/>'
    )
    listed = "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1))
    linked = "".join(
        f'<Relationship Id="r{i}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>'
        for i in range(1, len(sheets) + 1)
    )
    styles = f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
    with ZipFile(path, "w") as book:
        book.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types">{kinds}</Types>')
        book.writestr(
            "_rels/.rels", relate(f'<Relationship Id="b" Type="{OFFICE}/officeDocument" Target="xl/workbook.xml"/>')
        )
        book.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        )
        book.writestr("xl/_rels/workbook.xml.rels", relate(linked + styles))
        book.writestr("xl/styles.xml", STYLES)
        for i, sheet in enumerate(sheets.values(), 1):
            book.writestr(f"xl/worksheets/sheet{i}.xml", sheet)
    return path


BOOK = "spreadsheetml.sheet.main+xml"


def relate(inside):
    return f'<Relationships xmlns="{PACKAGE}/relationships">{inside}</Relationships>'
