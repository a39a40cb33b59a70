package deploy

import (
	"bytes"
	"debug/buildinfo"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"runtime/debug"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// SBOM returns the software bill of materials of a binary, from the build information that Go embeds: a
// CycloneDX document in JSON. It contains no time, and its serial number depends only on the binary.
func (p *Program) SBOM(b *Binary, version string) ([]byte, error) {
	info, err := buildinfo.ReadFile(b.File)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.File, err)
	}
	sum, err := sumOf(b.File)
	if err != nil {
		return nil, err
	}
	bom := cdx.NewBOM()
	bom.SerialNumber = serial(sum)
	main := p.component(b, info, version, sum)
	bom.Metadata = &cdx.Metadata{Component: &main}
	parts := libraries(info)
	if b.Weights != "" {
		weights, err := sumOf(b.Weights)
		if err != nil {
			return nil, err
		}
		parts = append(parts, model(b, weights))
	}
	bom.Components = &parts
	refs := make([]string, len(parts))
	for i, c := range parts {
		refs[i] = c.BOMRef
	}
	bom.Dependencies = &[]cdx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// component returns the binary itself.
func (p *Program) component(b *Binary, info *debug.BuildInfo, version string, sum [32]byte) cdx.Component {
	properties := []cdx.Property{
		{Name: "bbgen:program", Value: p.Name},
		{Name: "bbgen:platform", Value: b.Platform.String()},
	}
	if b.Class.Name != "" {
		properties = append(properties, cdx.Property{Name: "bbgen:class", Value: b.Class.Name}, cdx.Property{Name: "bbgen:fingerprint", Value: p.Fingerprint})
	}
	for _, s := range info.Settings {
		properties = append(properties, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
	}
	return cdx.Component{
		BOMRef: "binary", Type: cdx.ComponentTypeApplication, Name: p.Unit(b.Class), Version: version,
		Hashes: sha256Of(sum), Properties: &properties,
	}
}

// libraries returns the linked modules, and Go's standard library with its version, which determines its
// known vulnerabilities.
func libraries(info *debug.BuildInfo) []cdx.Component {
	all := []cdx.Component{library("std", strings.TrimPrefix(info.GoVersion, "go"))}
	seen := map[string]bool{}
	for _, m := range append([]*debug.Module{&info.Main}, info.Deps...) {
		if m.Replace != nil && m.Replace.Version != "" {
			m = m.Replace
		}
		if m.Path == "" || seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		version := m.Version
		if version == "(devel)" {
			version = "" // built from its own folder
		}
		c := library(m.Path, version)
		if m.Sum != "" {
			c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
		}
		all = append(all, c)
	}
	return all
}

func library(path, version string) cdx.Component {
	purl := "pkg:golang/" + (&url.URL{Path: path}).EscapedPath()
	if version != "" {
		purl += "@" + url.QueryEscape(version)
	}
	return cdx.Component{BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: purl}
}

// model returns the file with the weights.
func model(b *Binary, sum [32]byte) cdx.Component {
	return cdx.Component{BOMRef: "weights", Type: cdx.ComponentTypeMachineLearningModel, Name: filepath.Base(b.Weights), Hashes: sha256Of(sum)}
}

func sha256Of(sum [32]byte) *[]cdx.Hash {
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}}
}

// serial derives a UUID of version 8, with the custom layout that RFC 9562 allows, from a hash.
func serial(sum [32]byte) string {
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
