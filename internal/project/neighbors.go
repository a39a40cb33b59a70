package project

import (
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/codegen"
)

// checkNeighbors refuses to write Go files beside existing ones of a different package, or beside a main
// function.
func checkNeighbors(dir string, files []codegen.File) error {
	checked := map[string]bool{}
	for _, f := range files {
		folder := path.Dir(f.Path)
		if !strings.HasSuffix(f.Path, ".go") || strings.HasPrefix(f.Path, "vendor/") || strings.HasSuffix(f.Path, "_test.go") || checked[folder] {
			continue
		}
		checked[folder] = true
		ours, err := parser.ParseFile(token.NewFileSet(), f.Path, f.Bytes(), parser.PackageClauseOnly)
		if err != nil {
			continue // no build uses it
		}
		if err := checkFolder(filepath.Join(dir, filepath.FromSlash(folder)), ours.Name.Name); err != nil {
			return err
		}
	}
	return nil
}

// checkFolder checks the existing Go files in a folder for a package.
func checkFolder(folder, pkg string) error {
	list, err := matching(folder, "*.go")
	for _, name := range list {
		b, readErr := os.ReadFile(name)
		if err = errors.Join(err, readErr); err != nil {
			return err
		}
		if isOurs(b) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if built, err := build.Default.MatchFile(folder, filepath.Base(name)); err == nil && !built {
			continue // such as a generator of the author's, which begins with go:build ignore
		}
		theirs, parseErr := parser.ParseFile(token.NewFileSet(), name, b, parser.PackageClauseOnly)
		switch {
		case parseErr != nil:
			return parseErr
		case theirs.Name.Name != pkg:
			return fmt.Errorf("%s is of package %s, and what bbgen writes beside it of package %s: choose another folder", name, theirs.Name.Name, pkg)
		case pkg == "main":
			return fmt.Errorf("%s is of package main, and so is what bbgen writes beside it: choose another folder, or --package NAME", name)
		}
	}
	return err
}
