"""Names and texts that are hard to write and read back, and the formats in which they are written."""

from hypothesis import strategies as st

TRAPS = """7|007|-0|-5|+1|0x1|1e5|1.0|NA|null|nan|true|source|target|from|to|u|v|node1|node2|a,b|a;b|a b| x|x |#h|
%p|"q"|'|é|日本|\ufeffx|1|112|11|12|*Edges|[|]|&amp;|<a>|{}""".replace("\n", "").split("|")
LINES = ["a\nb", "a\r\nb", "a\r", "\r", "\t", "a\n#b", 'a"\n"b', "\n", "a\x0bb", "a\u2028b", "\x85"]
NAMES = st.sampled_from(TRAPS + LINES) | st.text(max_size=8)
TEXTS = st.text(max_size=6) | st.sampled_from(["", "7", "007", "1.5", " x", "NA", "#", '"', "a\nb", "true"])
FORMATS = ["csv", "tsv", "txt", "parquet", "graphml", "gexf", "gml", "net", "mtx", "json"]
PACKED = ["csv.gz", "txt.zst", "parquet.gz", "graphml.gz", "gml.bz2", "net.zst", "mtx.gz", "json.gz", "gexf.gz"]
