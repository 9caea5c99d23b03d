// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "test.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 60 }; /* for one test */

static struct test *tests, **last_test = &tests;
static struct test_suite *suites;

void test_add(struct test *test)
{
	*last_test = test;
	last_test = &test->next;
}

void test_suite_add(struct test_suite *suite)
{
	suite->next = suites;
	suites = suite;
}

static bool matches(const struct test *test, char **patterns)
{
	char name[256];

	snprintf(name, sizeof(name), "%s/%s", test->suite, test->check.name);
	for (char **pattern = patterns; *pattern; pattern++)
		if (!fnmatch(*pattern, name, 0))
			return true;
	return !*patterns;
}

static TCase *create_case(const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, SECONDS);
	for (const struct test_suite *suite = suites; suite; suite = suite->next)
		if (!strcmp(suite->name, name)) {
			tcase_add_unchecked_fixture(tcase, suite->once, NULL);
			tcase_add_checked_fixture(tcase, suite->init, suite->fini);
		}
	return tcase;
}

/* Tests of a suite stand together. */
int main(int argc, char **argv)
{
	Suite *all = suite_create(argv[0]);
	SRunner *runner = srunner_create(all);
	const char *suite = "";
	TCase *tcase = NULL;
	int failed;

	(void)argc;
	for (const struct test *test = tests; test; test = test->next) {
		if (!matches(test, argv + 1))
			continue;
		if (strcmp(test->suite, suite)) {
			suite = test->suite;
			tcase = create_case(suite);
			suite_add_tcase(all, tcase);
		}
		tcase_add_loop_test(tcase, &test->check, 0, test->count);
	}
	if (!tcase)
		fputs("no test has such a name\n", stderr);
	srunner_run_all(runner, CK_ENV);
	failed = !tcase || srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
