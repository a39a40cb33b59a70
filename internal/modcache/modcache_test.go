package modcache

import "testing"

// TestIsOffline: a test is skipped only where modules of others are missing.
func TestIsOffline(t *testing.T) {
	for messages, want := range map[string]bool{
		"go: x imports\n\trsc.io/quote: cannot find module providing package rsc.io/quote: module lookup disabled by GOPROXY=off":                                               true,
		"go: x imports\n\trsc.io/quote: module rsc.io/quote: Get \"https://127.0.0.1:9/rsc.io/quote/@v/list\": dial tcp 127.0.0.1:9: connect: connection refused":               true,
		"go: x imports\n\trsc.io/quote: module rsc.io/quote: reading https://proxy.golang.org/rsc.io/quote/@v/list: 403 Forbidden":                                              true,
		"go: errors parsing go.mod:\ngo.mod:3: usage: require module/path v1.2.3":                                                                                               false,
		"go: x imports\n\tgithub.com/bbgen/bbgen/none: module github.com/bbgen/bbgen/none: reading https://proxy.golang.org/github.com/bbgen/bbgen/none/@v/list: 403 Forbidden": false,
		"go: x imports\n\tgithub.com/bbgen/bbgen/none: cannot find module providing package github.com/bbgen/bbgen/none: module lookup disabled by GOPROXY=off":                 false,
	} {
		if got := isOffline(messages); got != want {
			t.Errorf("%s: %v, want %v", messages, got, want)
		}
	}
}
