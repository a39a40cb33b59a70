package arch

import (
	"bufio"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// coined are words for which the field has another word: see docs/glossary.md. Tap, fits and turned are not among them,
// although some were coined: a filter has taps, a size fits an int, and a picture is turned.
var coined = map[string]string{
	"door":    "listener, queue, or what the stream waits for",
	"doors":   "ports, or parsers of input from outside",
	"hush":    "rate limit",
	"octet":   "int8 or byte",
	"octets":  "int8s or bytes",
	"texts":   "strings",
	"truths":  "bools",
	"vouch":   "begin, or introduce",
	"vouched": "begun, or introduced",
	"vouches": "begins, or introduces",
}

var word = regexp.MustCompile(`[a-z]+(-[a-z]+)*`)

// TestWords looks for coined words in comments and documents.
func TestWords(t *testing.T) {
	err := fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !isProse(name) {
			return err
		}
		f, err := os.Open(path.Join("../..", name))
		if err != nil {
			return err
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<24)
		for i := 1; lines.Scan(); i++ {
			for _, w := range word.FindAllString(prose(name, lines.Text()), -1) {
				if instead, ok := coined[w]; ok {
					t.Errorf("%s:%d: %q: say %s", name, i, w, instead)
				}
			}
		}
		return lines.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// isProse reports whether a file contains hand-written sentences.
func isProse(name string) bool {
	switch {
	case strings.Contains(name, "node_modules/"):
		return false
	case strings.HasSuffix(name, ".go"):
		return !strings.HasSuffix(name, ".pb.go") && name != "internal/arch/words_test.go"
	}
	return strings.HasSuffix(name, ".md")
}

// prose returns the comment of a line of Go, or a line of a document.
func prose(name, line string) string {
	if strings.HasSuffix(name, ".go") {
		_, line, _ = strings.Cut(line, "// ")
	}
	return strings.ToLower(line)
}
