// Loads a JSON file with simdjson's DOM parser, as a program that wants its values does.
#include <iostream>
#include <simdjson.h>

int main(int argc, char **argv)
{
	simdjson::dom::parser parser;
	simdjson::dom::object root;

	if (argc != 2)
		return 1;
	auto error = parser.load(argv[1]).get(root);
	if (error) {
		std::cerr << error << "\n";
		return 1;
	}
	std::cout << root.size() << "\n";
	return 0;
}
