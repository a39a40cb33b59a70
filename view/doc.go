// Package view makes a page about a model, a training step or a program: one HTML file that needs no network.
// [Make] compiles a module and collects the data of the page, [Page.HTML] writes the file, and [Handler]
// serves it on loopback.
//
// The page itself is JavaScript and CSS in _src. A build at development time converts them to the embedded
// files in assets; a test detects stale ones.
package view
