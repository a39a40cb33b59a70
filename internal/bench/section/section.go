// Package section writes the results of a benchmark into a section of a page.
package section

import (
	"fmt"
	"os"
	"strings"
)

// Write replaces the section with the same heading, which is the first line of text, or appends it. The rest
// of the file is unchanged. The file "-" is standard output.
func Write(name, text string) error {
	text = strings.Trim(text, "\n") + "\n"
	if name == "-" {
		_, err := fmt.Print(text)
		return err
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(put(string(b), text)), 0o666)
}

// Busy reports whether other processes use the machine: the average load of the last minute, which also
// includes earlier processes.
func Busy() (load float64, busy bool) {
	b, _ := os.ReadFile("/proc/loadavg")
	fmt.Sscan(string(b), &load)
	return load, load >= 1
}

// put returns the page with the section.
func put(page, text string) string {
	heading, _, _ := strings.Cut(text, "\n")
	before, old, found := strings.Cut(page, "\n"+heading+"\n")
	if !found {
		return strings.TrimRight(page, "\n") + "\n\n" + text
	}
	if i := strings.Index(old, "\n## "); i >= 0 {
		text += old[i:]
	}
	return before + "\n" + text
}
