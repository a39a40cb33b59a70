package sim

import (
	"bytes"
	"strings"
	"testing"
)

// TestInputsOfNobody: a file for a class that the program does not have, or that has no peers in this run, is a mistake and is not
// left out silently.
func TestInputsOfNobody(t *testing.T) {
	file := array(t, t.TempDir(), "x.npy", 1)
	for args, want := range map[string]string{
		"-in b.x=" + file:        "want CLASS.NAME=FILE, with one of the classes a",
		"-in x=" + file:          "want CLASS.NAME=FILE, with one of the classes a",
		"-in " + file:            "want CLASS.NAME=FILE, with one of the classes a",
		"-n a=0 -in a.x=" + file: "there is no peer of class a",
	} {
		var out, errs bytes.Buffer
		err := Do(echoes(false), strings.Fields(args), &out, &errs)
		if err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%s: got %v, want %q; it has written %s", args, err, want, &out)
		}
	}
}
