package modcache

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFill: each module of a workspace is asked what it needs, and a wrong one is named.
func TestFill(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	root := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	put("go.work", "go 1.26.0\n\nuse (\n\t./a\n\t./b\n)\n")
	for _, m := range []string{"a", "b"} {
		put(m+"/go.mod", "module example.com/"+m+"\n\ngo 1.26.0\n")
		put(m+"/"+m+".go", "package "+m+"\n\nimport _ \"fmt\"\n")
	}
	Fill(t, root)
	put("b/b.go", "package b\n\nimport _ \"example.org/none\"\n")
	if err := fill(root); err == nil || !strings.Contains(err.Error(), "go mod tidy in ./b") || !isOffline(err.Error()) {
		t.Errorf("a module that is not in the cache: %v", err)
	}
	put("b/go.mod", "modul b\n")
	if err := fill(root); err == nil || !strings.Contains(err.Error(), "./b") || isOffline(err.Error()) {
		t.Errorf("a file go.mod that is wrong: %v", err)
	}
	put("go.work", "us ./a\n")
	if err := fill(root); err == nil || !strings.Contains(err.Error(), "go work edit") {
		t.Errorf("a file go.work that is wrong: %v", err)
	}
}

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
