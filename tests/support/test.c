// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "test.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SECONDS = 60 }; /* time for one test */

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

static const struct test_suite *find_suite(const char *name)
{
	static const struct test_suite none;

	for (const struct test_suite *suite = suites; suite; suite = suite->next)
		if (!strcmp(suite->name, name))
			return suite;
	return &none;
}

static TCase *create_case(const struct test_suite *suite, const char *name)
{
	TCase *tcase = tcase_create(name);

	tcase_set_timeout(tcase, SECONDS);
	tcase_add_unchecked_fixture(tcase, suite->once, suite->end);
	tcase_add_checked_fixture(tcase, suite->init, suite->fini);
	return tcase;
}

/*
 * Run the tests of the suite that match. Add their number to COUNT. Returns the number of failures.
 */
static int run_suite(const char *name, char **patterns, int *count)
{
	const struct test_suite *suite = find_suite(name);
	TCase *tcase = create_case(suite, name);
	Suite *alone = suite_create(name);
	SRunner *runner = srunner_create(alone);
	bool any = false;
	int failed;

	for (const struct test *test = tests; test; test = test->next)
		if (!strcmp(test->suite, name) && matches(test, patterns)) {
			tcase_add_loop_test(tcase, &test->check, 0, test->count);
			any = true;
		}
	suite_add_tcase(alone, tcase);
	if (suite->end || suite->in_one_process)
		srunner_set_fork_status(runner, CK_NOFORK);
	if (any)
		srunner_run_all(runner, CK_ENV);
	*count += srunner_ntests_run(runner);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed;
}

/* Run all suites. Tests of a suite follow each other. */
int main(int argc, char **argv)
{
	const char *suite = "";
	int count = 0, failed = 0;

	(void)argc;
	for (const struct test *test = tests; test; test = test->next)
		if (strcmp(test->suite, suite)) {
			suite = test->suite;
			failed += run_suite(suite, argv + 1, &count);
		}
	if (!count)
		fputs("no test has such a name\n", stderr);
	return failed || !count ? EXIT_FAILURE : EXIT_SUCCESS;
}
