package deploy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestPlatforms(t *testing.T) {
	all, err := ParsePlatforms([]string{"linux/arm64", " linux/amd64/v3", "linux/amd64", "linux/arm64"})
	if want := "[linux/amd64 linux/amd64/v3 linux/arm64]"; err != nil || fmt.Sprint(all) != want {
		t.Errorf("got %v and %v, want %s", all, err, want)
	}
	for text, want := range map[string]string{
		"":               "want GOOS/GOARCH",
		"linux":          "want GOOS/GOARCH",
		"linux/a/b/c":    "want GOOS/GOARCH",
		"../etc/x":       "want GOOS/GOARCH",
		"linux/amd64/":   "want GOOS/GOARCH",
		"linux/arm64/v9": "arm64 has no levels",
	} {
		if _, err := ParsePlatforms([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := ParsePlatforms(nil); err == nil {
		t.Error("no platform at all is accepted")
	}
	for p, want := range map[Platform]string{
		{"linux", "arm", "v6"}:   "GOARM=6",
		{"linux", "amd64", "v3"}: "GOAMD64=v3",
		{"linux", "amd64", ""}:   "GOAMD64=",
	} {
		env := p.environment()
		slices.Reverse(env) // the last one with a name counts
		name, _, _ := strings.Cut(want, "=")
		if i := slices.IndexFunc(env, func(s string) bool { return strings.HasPrefix(s, name+"=") }); i < 0 || env[i] != want {
			t.Errorf("%s: got %v, want %s", p, env, want)
		}
	}
}
