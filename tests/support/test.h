/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Tests of Check (check.h) that add themselves to their program. main() is here, too. Each test
 * runs in a process of its own. It is forked from a process that has only run the suite's ONCE. The
 * tests of a suite with END or IN_ONE_PROCESS share one process, with everything that ONCE has
 * opened. A program's arguments are shell patterns, and only tests whose SUITE/NAME matches one are
 * run. CK_FORK=no runs all tests in one process, for a debugger.
 */
#ifndef XRDMA_TESTS_TEST_H
#define XRDMA_TESTS_TEST_H

#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct test {
	const char *suite;
	TTest check;
	int count;
	struct test *next;
};

struct test_suite {
	const char *name;
	void (*once)(void); /* before the first of its tests; all tests inherit the result */
	void (*init)(void); /* before each test */
	void (*fini)(void); /* after each test, unless it failed in a process of its own */
	void (*end)(void);  /* after the last test */
	bool in_one_process;
	struct test_suite *next;
};

void test_add(struct test *test);
void test_suite_add(struct test_suite *suite);

/*
 * Test(suite, name) { ... } runs once. Tests(suite, name, count) { ... } runs for each i below
 * COUNT. SUITE may be a macro.
 */
#define Test(suite, name)	  Tests(suite, name, 1)
#define Tests(suite, name, count) TESTS_OF(suite, name, count)
#define TESTS_OF(suite_, name_, count_)                                            \
	static void suite_##_##name_(int i);                                       \
	__attribute__((constructor)) static void suite_##_##name_##_add(void)      \
	{                                                                          \
		static struct test test = {                                        \
			.suite = #suite_,                                          \
			.check = { #name_, suite_##_##name_, __FILE__, __LINE__ }, \
			.count = count_,                                           \
		};                                                                 \
		test_add(&test);                                                   \
	}                                                                          \
	static void suite_##_##name_(int i __attribute__((unused)))

/* Define the fixtures of a suite: TestSuite(suite, .init = function). */
#define TestSuite(suite_, ...)                                                     \
	__attribute__((constructor)) static void suite_##_suite_add(void)          \
	{                                                                          \
		static struct test_suite suite = { .name = #suite_, __VA_ARGS__ }; \
		test_suite_add(&suite);                                            \
	}

/*
 * End the test if the condition is false. Check's own assertions also write a file for each true
 * one, which is too slow in a loop.
 */
#define expect(truth) expect_msg(truth, "%s", #truth)
#define expect_msg(truth, ...)                     \
	do {                                       \
		if (!(truth))                      \
			ck_abort_msg(__VA_ARGS__); \
	} while (0)
#define expect_int(left, is, right)                                                          \
	do {                                                                                 \
		intmax_t left_ = (left), right_ = (right);                                   \
		expect_msg(left_ is right_, "%s %s %s: %jd, %jd", #left, #is, #right, left_, \
			   right_);                                                          \
	} while (0)

/* End the test. Use this only in the test's own function. */
#define SKIP(why)                      \
	do {                           \
		puts("skipped: " why); \
		return;                \
	} while (0)

#endif
