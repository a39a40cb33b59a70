package keys_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/artifact/keys"
)

// document has the table of keys between its heading and the next one.
const document, heading = "../../ARCHITECTURE.md", "## Metadata: `artifact/keys`\n"

// TestDocument: the document's table is that of the package.
func TestDocument(t *testing.T) {
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(b), heading)
	if !found {
		t.Fatalf("%s has no heading %q", document, heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	var got strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			got.WriteString(line)
		}
	}
	if want := table(); got.String() != want {
		t.Errorf("%s has another table than the package, want\n%s", document, want)
	}
}

// table returns the keys as a table.
func table() string {
	var b strings.Builder
	b.WriteString("| key | on | value | written in | read in |\n| --- | --- | --- | --- | --- |\n")
	for _, k := range keys.All {
		name := k.Name
		if name == keys.Binding {
			name += "CLASS.SLOT"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", name, k.On, k.Value, packages(k.Writes), packages(k.Reads))
	}
	return b.String()
}

func packages(list []string) string { return "`" + strings.Join(list, "`, `") + "`" }

// TestAll tests the rows.
func TestAll(t *testing.T) {
	on := map[string]bool{keys.Model: true, keys.Node: true, keys.Input: true}
	seen := map[string]bool{}
	for _, k := range keys.All {
		switch {
		case seen[k.Name]:
			t.Errorf("%s has two rows", k.Name)
		case !on[k.On]:
			t.Errorf("%s stands on %q", k.Name, k.On)
		case k.Value == "" || len(k.Writes) == 0 || len(k.Reads) == 0:
			t.Errorf("%s: want a value, who writes it and who reads it", k.Name)
		case !strings.HasPrefix(k.Name, keys.Own) && !strings.HasPrefix(k.Name, keys.Recorded+"."):
			t.Errorf("%s begins neither with %s nor with %s", k.Name, keys.Own, keys.Recorded)
		}
		seen[k.Name] = true
	}
}
