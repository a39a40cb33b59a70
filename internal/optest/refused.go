package optest

import (
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/bbgen/bbgen/internal/forward"
	"github.com/bbgen/bbgen/ir/op"
	"github.com/bbgen/bbgen/ir/pass"
)

// refused checks that each case fails to compile with the error in its line; BBGEN_UPDATE=1 rewrites the
// errors.
func refused(f *family, errorf errorf) {
	for _, c := range f.refused {
		m, _ := forward.Module(c.As, c)
		err := pass.Run(m, pass.Pipeline, nil)
		if f.update {
			if err := rewrite(c, said(err)); err != nil {
				errorf("%v", err)
			}
			continue
		}
		otherwise(errorf, c.Place, err, c.Refused)
	}
}

// otherwise reports an error other than the wanted one.
func otherwise(errorf errorf, place string, err error, want string) {
	if got, want := said(err), OnThisMachine(want); got != want {
		errorf("%s: got %q, want %q", place, got, want)
	}
}

// number is one with enough digits to be too large for an int of 32 bits.
var number = regexp.MustCompile(`[0-9]{10,}`)

// OnThisMachine returns an error as it reads where an int has as many bits as here: sizes have another bound on 32 bits, and
// the numbers of a file that are too large for an int are the largest one.
func OnThisMachine(text string) string {
	return number.ReplaceAllStringFunc(text, func(s string) string {
		switch n, err := strconv.ParseInt(s, 10, 64); {
		case err != nil:
			return s
		case n == 1<<36:
			return strconv.Itoa(op.MaxSize)
		default:
			return strconv.FormatInt(min(n, math.MaxInt), 10)
		}
	})
}

// said returns the text of an error without the name of the node.
func said(err error) string {
	if err == nil {
		return "it compiles"
	}
	_, why, named := strings.Cut(err.Error(), "): ")
	if !named {
		return err.Error()
	}
	return why
}

// rewrite writes an error into the line of a case.
func rewrite(c *forward.Case, why string) error {
	file, _, _ := strings.Cut(c.Place, ":")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, _, _ := strings.Cut(c.Text, "-> !")
	return os.WriteFile(file, []byte(strings.Replace(string(text), c.Text+"\n", head+"-> ! "+why+"\n", 1)), 0o666)
}
