package deploy

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Platform is a target of Go's compiler.
type Platform struct {
	OS, Arch string
	Variant  string // the level of the architecture, such as v3 of amd64 and v7 of arm; "" is Go's default
}

// levels are the environment variables that select the level of an architecture.
var levels = map[string]string{"amd64": "GOAMD64", "arm": "GOARM"}

// ParsePlatforms parses platforms as in linux/amd64,linux/arm/v7. The result is sorted, without duplicates.
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

// String returns the platform as in linux/arm/v7.
func (p Platform) String() string {
	s := p.OS + "/" + p.Arch
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	return s
}

// name returns the platform for file names, as in linux-arm-v7.
func (p Platform) name() string { return strings.ReplaceAll(p.String(), "/", "-") }

// exe returns the suffix of program names.
func (p Platform) exe() string {
	if p.OS == "windows" {
		return ".exe"
	}
	return ""
}

// environment returns the variables that select the platform. Levels that are not selected have Go's defaults
// regardless of bbgen's environment, so that builds are reproducible.
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
