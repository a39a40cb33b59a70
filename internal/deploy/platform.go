package deploy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Platform is a machine that Go builds for.
type Platform struct {
	OS, Arch string
	Variant  string // the level of the architecture, as in v3 of amd64 and v7 of arm; "" is Go's default
}

// levels are the variables that choose the level of an architecture.
var levels = map[string]string{"amd64": "GOAMD64", "arm": "GOARM"}

// ParsePlatforms reads platforms as in linux/amd64,linux/arm/v7. They come in order, each once.
func ParsePlatforms(list []string) ([]Platform, error) {
	var all []Platform
	for _, text := range list {
		p, err := parsePlatform(strings.TrimSpace(text))
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	if all == nil {
		return nil, errors.New("there is no platform, want some such as linux/amd64")
	}
	slices.SortFunc(all, func(a, b Platform) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(all), nil
}

func parsePlatform(text string) (Platform, error) {
	parts := strings.Split(text, "/")
	if len(parts) < 2 || len(parts) > 3 || slices.ContainsFunc(parts, func(s string) bool { return s == "" || slug(s) != s }) {
		return Platform{}, fmt.Errorf("%q is no platform, want GOOS/GOARCH as in linux/arm64, or with a level as in linux/arm/v7", text)
	}
	p := Platform{OS: parts[0], Arch: parts[1]}
	if len(parts) == 3 {
		p.Variant = parts[2]
	}
	if p.Variant != "" && levels[p.Arch] == "" {
		return p, fmt.Errorf("%q: %s has no levels that Go builds for: leave %s out", text, p.Arch, p.Variant)
	}
	return p, nil
}

// String is linux/arm/v7.
func (p Platform) String() string {
	s := p.OS + "/" + p.Arch
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	return s
}

// name is linux-arm-v7, for files.
func (p Platform) name() string { return strings.ReplaceAll(p.String(), "/", "-") }

// exe is what names of programs end with.
func (p Platform) exe() string {
	if p.OS == "windows" {
		return ".exe"
	}
	return ""
}

// environment chooses the platform. Levels that are not chosen are Go's defaults, whatever
// the environment of bbgen says: the same command gives the same bytes.
func (p Platform) environment() []string {
	env := []string{"GOOS=" + p.OS, "GOARCH=" + p.Arch, "GOFLAGS=", "GOEXPERIMENT="}
	for _, variable := range []string{"GO386", "GOAMD64", "GOARM", "GOARM64", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM"} {
		env = append(env, variable+"=")
	}
	level := p.Variant
	if p.Arch == "arm" {
		level = strings.TrimPrefix(level, "v")
	}
	if level != "" {
		env = append(env, levels[p.Arch]+"="+level)
	}
	return env
}
