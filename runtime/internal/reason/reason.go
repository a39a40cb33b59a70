// Package reason writes the reason of a failure for other peers: one short line, without the names of local files. The host
// of the peer that failed gets the whole error.
package reason

import (
	"errors"
	"io/fs"
	"strings"
	"unicode"

	"github.com/bbgen/bbgen/runtime/wire"
)

// None stands for the reason of a peer that gives none.
const None = "no reason"

// hidden stands for the name of a file.
const hidden = "(a file)"

// Of returns the reason of an error that other peers may know: its text without the names of files that it wraps, and
// without absolute paths. What comes before it is text of the program.
func Of(before string, err error) string {
	text := err.Error()
	for _, path := range paths(err) {
		text = strings.ReplaceAll(text, path, hidden)
	}
	return Line(before + hidePaths(oneLine(text))) // a path may begin a line, as in joined errors
}

// paths returns the names of files in the errors that an error wraps.
func paths(err error) (list []string) {
	switch e := err.(type) {
	case *fs.PathError:
		if e.Path != "" {
			list = append(list, e.Path)
		}
	case interface{ Unwrap() []error }:
		for _, x := range e.Unwrap() {
			list = append(list, paths(x)...)
		}
		return list
	}
	if x := errors.Unwrap(err); x != nil {
		list = append(list, paths(x)...)
	}
	return list
}

// hidePaths replaces the words of a text that are absolute paths.
func hidePaths(text string) string {
	words := strings.Split(text, " ")
	for i, w := range words {
		bare := strings.TrimRight(strings.TrimLeft(w, `"'([<`+"`"), `"')]>,;:.`+"`")
		if isAbsolute(bare) {
			words[i] = strings.Replace(w, bare, hidden, 1)
		}
	}
	return strings.Join(words, " ")
}

// isAbsolute reports whether a word is an absolute path on some system: /a, ~/a, C:\a, \\a\b or file:///a.
func isAbsolute(word string) bool {
	switch {
	case strings.HasPrefix(word, "/"), strings.HasPrefix(word, `\\`):
		return len(word) > 1
	case strings.HasPrefix(word, "~/"), strings.HasPrefix(word, "file:"):
		return true
	}
	return len(word) > 2 && unicode.IsLetter(rune(word[0])) && word[1] == ':' && (word[2] == '\\' || word[2] == '/')
}

// Line returns a reason as one line of at most [wire.MaxReason] bytes.
func Line(s string) string {
	if s = oneLine(s); len(s) > wire.MaxReason {
		s = strings.ToValidUTF8(s[:wire.MaxReason-len("...")], "") + "..."
	}
	if s == "" {
		return None
	}
	return s
}

// oneLine returns a text with a space in place of each control character.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
}
