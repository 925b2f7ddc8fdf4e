"""The page of a frontier: one file, without network, without script."""

from shoal.report.frontier_page.page import frontier_page, save_frontier_page

__all__ = ["frontier_page", "save_frontier_page"]
