package section

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestPut(t *testing.T) {
	const mine = "## B\n\nnew\n"
	for _, x := range []struct{ name, page, want string }{
		{"at the end", "# Page\n\n## A\n\ntext\n", "# Page\n\n## A\n\ntext\n\n## B\n\nnew\n"},
		{"between others", "# Page\n\n## B\n\nold\n### part\n\nold\n\n## C\n\ntext\n", "# Page\n\n## B\n\nnew\n\n## C\n\ntext\n"},
		{"as the last", "# Page\n\n## A\n\ntext\n\n## B\n\nold\n", "# Page\n\n## A\n\ntext\n\n## B\n\nnew\n"},
		{"beside one that begins alike", "## B and more\n\n### B\n\ntext\n", "## B and more\n\n### B\n\ntext\n\n## B\n\nnew\n"},
	} {
		if got := put(x.page, mine); got != x.want {
			t.Errorf("%s: got\n%s\nwant\n%s", x.name, got, x.want)
		}
		if once := put(x.page, mine); put(once, mine) != once {
			t.Errorf("%s: the second time gives something else", x.name)
		}
	}
}

// Write leaves the rest of a page as it is, and a page that is missing is an error: a name was misspelled.
func TestWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	if err := Write(file, "## B\n\nnew\n"); err == nil {
		t.Error("a page is made")
	}
	if err := os.WriteFile(file, []byte("# Page\n\n## B\n\nold\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Write(file, "\n## B\n\nnew\n\n"); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "# Page\n\n## B\n\nnew\n" {
		t.Errorf("got %q, %v", b, err)
	}
}

// Counts reads lists, which may be given several times, and refuses what is no number above 0.
func TestCounts(t *testing.T) {
	for _, x := range []struct {
		args []string
		want []int // nil: an error
	}{
		{[]string{"-n", "1,2,4"}, []int{1, 2, 4}},
		{[]string{"-n", "16", "-n", "3"}, []int{16, 3}},
		{[]string{"-n", "0"}, nil},
		{[]string{"-n", "2,"}, nil},
		{[]string{"-n", "many"}, nil},
	} {
		var c Counts
		f := flag.NewFlagSet("", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		f.Var(&c, "n", "")
		if err := f.Parse(x.args); (err == nil) != (x.want != nil) || err == nil && !slices.Equal(c, x.want) {
			t.Errorf("%v: got %v, %v, want %v", x.args, c, err, x.want)
		}
	}
	if s := (&Counts{1, 8}).String(); s != "1,8" {
		t.Errorf("the text of 1 and 8 is %q", s)
	}
}
