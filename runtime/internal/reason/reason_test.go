package reason

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bbgen/bbgen/runtime/wire"
)

// Other peers learn what happened, and not where the files of this one are.
func TestOf(t *testing.T) {
	open := &fs.PathError{Op: "open", Path: "data/of me.csv", Err: fs.ErrNotExist}
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("element 0 of x is NaN"), "train.loss: element 0 of x is NaN"},
		{errors.New("3/4 of 12 KiB/s, and/or n/a of 12D3Koo/1/2"), "train.loss: 3/4 of 12 KiB/s, and/or n/a of 12D3Koo/1/2"},
		{open, "train.loss: open (a file): file does not exist"},
		{fmt.Errorf("example 7 of data/of me.csv: %w", open), "train.loss: example 7 of (a file): open (a file): file does not exist"},
		{errors.Join(errors.New("first"), open), "train.loss: first open (a file): file does not exist"},
		{errors.New(`read "/home/me/x.csv": no space left on device`), `train.loss: read "(a file)": no space left on device`},
		{errors.New(`C:\data\x.csv: denied, \\host\share, ~/x, file:///x`), "train.loss: (a file): denied, (a file), (a file), (a file)"},
		{errors.Join(errors.New("first"), errors.New("/home/me/x.csv: line 3")), "train.loss: first (a file): line 3"},
		{errors.New("first\t/home/me/x.csv\r\n~/y\x00/z"), "train.loss: first (a file)  (a file) (a file)"},
		{errors.New("a / b, x: y, c:d"), "train.loss: a / b, x: y, c:d"},
		{&fs.PathError{Op: "open", Err: fs.ErrPermission}, "train.loss: open : permission denied"},
	} {
		if got := Of("train.loss: ", tt.err); got != tt.want {
			t.Errorf("%v:\n got %q\nwant %q", tt.err, got, tt.want)
		}
	}
}

// A reason is one line, has a limit, and is never empty.
func TestLine(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", None},
		{"two\nlines\x00", "two lines "},
		{"not \xff text", "not ? text"},
	} {
		if got := Line(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
	for n := wire.MaxReason - 2; n < wire.MaxReason+3; n++ {
		got := Line(strings.Repeat("é", n))
		if len(got) > wire.MaxReason || !utf8.ValidString(got) || !strings.HasSuffix(got, "...") {
			t.Errorf("%d letters: %d bytes, %q", n, len(got), got)
		}
	}
}
