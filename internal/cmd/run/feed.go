package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/internal/cmd/cli"
	"github.com/bbgen/bbgen/runtime/host/feed"
)

// input is a file for peers of a class, CLASS.NAME=FILE, or names of peers.
type input struct{ class, name, file string }

// readInputs parses --in, and finds the files.
func readInputs(list []string, classes []class) ([]input, error) {
	var out []input
	for _, text := range list {
		to, file, ok := strings.Cut(text, "=")
		name, value, dotted := strings.Cut(to, ".")
		if !ok || !dotted || value == "" || file == "" {
			return nil, cli.Usagef("--in %s: want CLASS.NAME=FILE", text)
		}
		if named(classes, name) == nil {
			return nil, cli.Usagef("--in %s: there is no class %q; there are: %s", text, name, names(classes))
		}
		file, err := findFile(file)
		if err != nil {
			if e, ok := errors.AsType[*fs.PathError](err); ok {
				err = e.Err // the flag names the file
			}
			return nil, cli.Usagef("--in %s: %v", text, err)
		}
		out = append(out, input{name, value, file})
	}
	return out, nil
}

// findFile returns the whole name of a file, or the names of peers as they are.
func findFile(file string) (string, error) {
	if strings.HasPrefix(file, feed.At) {
		return file, nil
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	_, err = os.Stat(file)
	return file, err
}

// inputsOf returns the flags for a peer's part of the files. The files of an input are distributed to the
// peers of the class in turn.
func inputsOf(list []input, c *class, rank int) []string {
	var args []string
	turn := map[string]int{}
	for _, in := range list {
		if in.class != c.name {
			continue
		}
		if turn[in.name]%c.count() == rank {
			args = append(args, "-in", in.name+"="+in.file)
		}
		turn[in.name]++
	}
	return args
}
