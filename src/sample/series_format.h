/* What writer and reader of a file of samples have in common; nbscorep-samples(5). */
#ifndef NBSCOREP_SAMPLE_SERIES_FORMAT_H
#define NBSCOREP_SAMPLE_SERIES_FORMAT_H

#define SERIES_NAME "nbscorep samples"
#define SERIES_MAGIC SERIES_NAME " 1\n"

/* The first byte of a record; then the length of the rest as a varint, then the rest. */
enum series_record {
	RECORD_GROUP = 'G',
	RECORD_SAMPLE = 'S',
	RECORD_BEGIN = 'B',
	RECORD_END = 'E',
	RECORD_TITLE = 'T',
	RECORD_NOTE = 'N',
	RECORD_LOST = 'L',
	RECORD_MISSED = 'M',
	RECORD_FINISH = 'F',
};

#endif
