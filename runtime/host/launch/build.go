package launch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Build builds the mains of classes, below the import path of a program's peers, into dir. It returns the
// binaries by class.
func Build(dir, peers string, classes ...string) (map[string]string, error) {
	return BuildIn("", dir, peers, classes...)
}

// majorVersion matches names for which go build chooses another name of the binary, as it takes them for
// the version of a module.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// BuildIn is [Build] in the folder where, so that peers may be ".". One go build builds all classes: it loads
// and checks the packages that they share once, and links several binaries at a time.
func BuildIn(where, dir, peers string, classes ...string) (map[string]string, error) {
	out := map[string]string{}
	var together []string
	for _, c := range classes {
		out[c] = filepath.Join(dir, c)
		if !majorVersion.MatchString(c) {
			together = append(together, peers+"/"+c)
		} else if err := build(where, out[c], peers+"/"+c); err != nil {
			return nil, err
		}
	}
	if len(together) == 0 {
		return out, nil
	}
	return out, build(where, dir+string(filepath.Separator), together...)
}

// build builds mains into a file, or into a folder, whose name ends with a separator.
func build(where, out string, packages ...string) error {
	cmd := exec.Command("go", slices.Concat([]string{"build", "-trimpath", "-ldflags=-s -w", "-o", out}, packages)...)
	cmd.Dir = where
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if _, err := os.Stat(filepath.Join(where, "go.mod")); where != "" && err == nil {
		cmd.Env = append(cmd.Env, "GOWORK=off") // a separate module, which no workspace contains
	}
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %s: %w\n%s", strings.Join(packages, " "), err, b)
	}
	return nil
}
