/* Loads a JSON file with jansson, as a program that wants its values does. */
#include <jansson.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	json_error_t error;
	json_t *root = argc == 2 ? json_load_file(argv[1], 0, &error) : NULL;

	if (!root) {
		fprintf(stderr, "%s\n", argc == 2 ? error.text : "one file, please");
		return 1;
	}
	printf("%zu\n", json_object_size(root));
	json_decref(root);
	return 0;
}
