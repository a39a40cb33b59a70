package forward

import (
	"bufio"
	"embed"
	"fmt"
	"strings"
)

//go:embed testdata/*.txt
var files embed.FS

// Table returns every case, file by file.
func Table() ([]*Case, error) {
	dir, err := files.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var out []*Case
	for _, f := range dir {
		cases, err := read(f.Name())
		if err != nil {
			return nil, err
		}
		out = append(out, cases...)
	}
	return out, nil
}

// read reads one file of the table. A line that begins with # is a comment.
func read(name string) ([]*Case, error) {
	f, err := files.Open("testdata/" + name)
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
		c.Place = fmt.Sprintf("%s:%d", name, i)
		out = append(out, c)
	}
	return out, lines.Err()
}
