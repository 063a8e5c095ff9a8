if a:
	b = """c
	d"""
%load text.py
b