package optest

import (
	"os"
	"strings"

	"github.com/bbgen/bbgen/internal/forward"
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
	if got := said(err); got != want {
		errorf("%s: got %q, want %q", place, got, want)
	}
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
