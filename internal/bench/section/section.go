// Package section puts what a benchmark has to say into its part of a page.
package section

import (
	"fmt"
	"os"
	"strings"
)

// Write puts a section, whose first line is its heading, in place of the one of
// the same heading, or at the end if there is none. The rest of the file stays.
// The file "-" is standard output.
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

// Busy says how busy the machine is with something else, if it is: the average
// load of the last minute, which knows what ran before, too.
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
