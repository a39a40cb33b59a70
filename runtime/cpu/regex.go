package cpu

import "regexp"

// RegexFullMatch writes whether the whole of x[i] matches the pattern.
func RegexFullMatch(dst []bool, x []string, pattern string) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		fail("RegexFullMatch", "%v", err)
	}
	re.Longest() // the longest match from the first character on is all of a string that matches
	for i, s := range x {
		at := re.FindStringIndex(s)
		dst[i] = at != nil && at[0] == 0 && at[1] == len(s)
	}
}
