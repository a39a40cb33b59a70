package forward

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Table returns every case of the families below the root of the module, file by file.
func Table(root string) ([]*Case, error) { return files(root, "ir/op/*/testdata/forward/*.txt") }

// Family returns the cases of the family whose folder is dir.
func Family(dir string) ([]*Case, error) { return files(dir, "testdata/forward/*.txt") }

// files reads files below dir. There must be some.
func files(dir, pattern string) ([]*Case, error) {
	names, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("%s has no %s: %v", dir, pattern, err)
	}
	var out []*Case
	for _, name := range names {
		cases, err := Read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, cases...)
	}
	return out, nil
}

// Read returns the cases of a file. A line that begins with # is a comment.
func Read(name string) ([]*Case, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []*Case
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for i := 1; lines.Scan(); i++ {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c, err := Parse(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, i, err)
		}
		c.Place = fmt.Sprintf("%s:%d", filepath.ToSlash(name), i)
		out = append(out, c)
	}
	return out, lines.Err()
}
