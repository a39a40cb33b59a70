package section

import "testing"

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
