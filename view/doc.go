// Package view makes a page of a model, a training step or a program: one HTML file
// that needs no network. [Make] collects what the page shows while the one driver
// compiles, [Page.HTML] writes the file, and [Handler] serves it on loopback.
//
// The page itself is JavaScript and CSS in _src. A build at development time puts
// them into assets, which are embedded; a test says when they are stale.
package view
