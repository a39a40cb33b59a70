package version

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/runtime"
)

// TestVersion: one line has the versions of bbgen, of Go and of generated code, in the order that scripts rely on.
func TestVersion(t *testing.T) {
	out, _, err := cmdtest.Run(t, Command())
	want := regexp.MustCompile(fmt.Sprintf(`^bbgen \S+ (go|devel)\S+ GenVersion %d\n$`, runtime.GenVersion))
	if err != nil || !want.MatchString(out) {
		t.Errorf("got %q, %v, want %s", out, err, want)
	}
	cmdtest.Refuse(t, Command, cmdtest.Refusal{Args: []string{"x"}, Want: `unexpected argument "x"`, Usage: true})
}
