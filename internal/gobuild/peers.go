package gobuild

import (
	"os"
	"path/filepath"
	"strings"
)

// Peers builds the mains of classes, below the import path of a program's peers, into dir. It returns the
// binaries by class.
func Peers(dir, peers string, classes ...string) (map[string]string, error) {
	return PeersIn("", dir, peers, classes...)
}

// IsMajorVersion reports whether the Go command takes the last element of an import path for the version of a module, as in
// math/rand/v2: the element before it is the name of the package, and of its binary.
func IsMajorVersion(name string) bool {
	number, ok := strings.CutPrefix(name, "v")
	return ok && number != "" && strings.Trim(number, "0123456789") == ""
}

// PeersIn is [Peers] in the folder where, so that peers may be ".". One go build builds all classes: it loads
// and checks the packages that they share once, and links several binaries at a time.
func PeersIn(where, dir, peers string, classes ...string) (map[string]string, error) {
	b := Build{Dir: where, Out: dir + string(filepath.Separator)}
	if _, err := os.Stat(filepath.Join(where, "go.mod")); where != "" && err == nil {
		b.Env = []string{"GOWORK=off"} // a separate module, which no workspace contains
	}
	out := map[string]string{}
	for _, c := range classes {
		out[c] = filepath.Join(dir, c)
		if !IsMajorVersion(c) {
			b.Packages = append(b.Packages, peers+"/"+c)
			continue
		}
		alone := b
		alone.Packages, alone.Out = []string{peers + "/" + c}, out[c]
		if err := alone.Run(); err != nil {
			return nil, err
		}
	}
	if len(b.Packages) == 0 {
		return out, nil
	}
	return out, b.Run()
}
