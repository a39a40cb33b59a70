package cpu

import "regexp"

// RegexFullMatch writes whether the whole of x[i] matches the pattern.
func RegexFullMatch(dst []bool, x []string, pattern string) {
	re, err := regexp.Compile(`\A(?:` + pattern + `)\z`)
	if err != nil {
		fail("RegexFullMatch", "%v", err)
	}
	for i, s := range x {
		dst[i] = re.MatchString(s)
	}
}
