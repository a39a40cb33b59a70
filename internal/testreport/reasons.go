package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// reasons are for what tests may be skipped: expressions for "PACKAGE TEST: REASON".
type reasons []*regexp.Regexp

// readReasons reads a file with an expression in each line. Lines that are empty or begin with # are for readers.
func readReasons(file string) (reasons, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var known reasons
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		expr, err := regexp.Compile(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+1, err)
		}
		known = append(known, expr)
	}
	return known, nil
}

func (r reasons) match(t test, reason string) bool {
	for _, expr := range r {
		if expr.MatchString(t.pkg + " " + t.name + ": " + reason) {
			return true
		}
	}
	return false
}
