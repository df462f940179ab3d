"""The folder that Sphinx reads: pages in their order, the stamp, pictures and MathJax."""
