// From a raw mail to its features.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "examples/spam_filter/html.h"
#include "examples/spam_filter/mail.h"
#include "examples/spam_filter/mime.h"
#include "examples/spam_filter/words.h"

namespace spam {
namespace {

using Words = std::vector<std::string>;

TEST(MimeTest, DecodesBase64AcrossLinesAndSkipsWhatIsNotBase64) {
  EXPECT_EQ(DecodeBase64("aGVs\nbG8="), "hello");
  EXPECT_EQ(DecodeBase64("a G!V*sbG8"), "hello");
  EXPECT_EQ(DecodeBase64("/+8="), "\xff\xef");
  EXPECT_EQ(DecodeBase64(""), "");
}

TEST(MimeTest, DecodesQuotedPrintableAndKeepsBrokenEscapes) {
  EXPECT_EQ(DecodeQuotedPrintable("a=3Db=\nc"), "a=bc");
  EXPECT_EQ(DecodeQuotedPrintable("50% =G1 ="), "50% =G1 =");
  EXPECT_EQ(DecodeQuotedPrintable("a_b"), "a_b");
  EXPECT_EQ(DecodeQuotedPrintable("a_b", true), "a b");
}

TEST(MimeTest, DecodesEncodedWordsInsideAHeader) {
  EXPECT_EQ(DecodeEncodedWords("Re: =?utf-8?B?aGVsbG8=?= you"), "Re: hello you");
  EXPECT_EQ(DecodeEncodedWords("=?iso-8859-1?q?free_money?="), "free money");
  EXPECT_EQ(DecodeEncodedWords("=?broken"), "=?broken");
  EXPECT_EQ(DecodeEncodedWords("=?a?x?b?="), "=?a?x?b?=");
  EXPECT_EQ(DecodeEncodedWords("=?a?"), "=?a?");
}

TEST(HtmlTest, ShowsTextAndLinksAndNamesTags) {
  const HtmlContent content = ReadHtml("<P>Buy<BR>now <a href=\"HTTP://Shop.example/x\">here</a></P>");
  EXPECT_EQ(WordsOf(content.text), (Words{"buy", "now", "http", "shop", "example", "here"}));
  EXPECT_EQ(content.tags, (std::set<std::string>{"p", "br", "a"}));
}

TEST(HtmlTest, IgnoresCommentsScriptsAndStylesAlsoInsideWords) {
  EXPECT_EQ(WordsOf(ReadHtml("vi<!-- x -->ag<b>ra</b>").text), Words{"viagra"});
  EXPECT_EQ(WordsOf(ReadHtml("<style>font</style>aa<SCRIPT>code</Script>bb").text), (Words{"aabb"}));
}

TEST(HtmlTest, SurvivesBrokenMarkup) {
  EXPECT_EQ(ReadHtml("a < b & c &amp; d").text, "a < b & c & d");
  EXPECT_EQ(ReadHtml("<").text, "<");
  EXPECT_EQ(WordsOf(ReadHtml("<!-- never closed").text), (Words{"never", "closed"}));
  EXPECT_EQ(ReadHtml("x<a href=").text, "x<a href=");
}

TEST(WordsTest, AreLowerCaseRunsOfLetters) {
  EXPECT_EQ(WordsOf("Don't STOP-now, 4you! x"), (Words{"dont", "stop", "now", "you"}));
  EXPECT_EQ(WordsOf(std::string(25, 'a')), Words{});
}

TEST(WordsTest, LeaveOutAddressesDatesAndThePlaceholdersOfTheCorpus) {
  EXPECT_EQ(WordsOf("write joe@shop.example on Mon, 5 August to yyyy or zzzzteana"),
            (Words{"write", "on", "to", "or"}));
}

TEST(MailTest, TakesSubjectAndBodyAndNoOtherHeader) {
  const Mail mail = ParseMail(
      "From joe Mon Aug 5\nReceived: from secret.host\nX-Spam-Status: Yes\nSubject: Cheap\n "
      "=?utf-8?q?loans?=\n\nHello there\n");
  EXPECT_EQ(WordsOf(mail.subject), (Words{"cheap", "loans"}));
  EXPECT_EQ(FeaturesOf(mail),
            (std::set<std::string>{"hello", "there", "subject:cheap", "subject:loans", "type:text/plain"}));
}

TEST(MailTest, ReadsThePartsOfAMultipart) {
  const Mail mail = ParseMail(
      "Content-Type: multipart/alternative;\n\tboundary=\"=_x\"\n\npreamble\n--=_x\n\nplain words\n"
      "--=_x\nContent-Type: text/html\nContent-Transfer-Encoding: quoted-printable\n\n<i>hyper</i>te=\nxt\n"
      "--=_x\nContent-Type: image/gif\nContent-Transfer-Encoding: base64\n\nR0lGODlh\n--=_x--\nepilogue\n");
  EXPECT_EQ(FeaturesOf(mail),
            (std::set<std::string>{"plain", "words", "hypertext", "tag:i", "type:image/gif",
                                   "type:multipart/alternative", "type:text/html", "type:text/plain"}));
}

TEST(MailTest, DecodesBase64TextAndSaysSo) {
  const Mail mail =
      ParseMail("Content-Type: text/plain\r\nContent-Transfer-Encoding: BASE64\r\n\r\naGVsbG8=\r\n");
  EXPECT_EQ(WordsOf(mail.text), Words{"hello"});
  EXPECT_EQ(mail.traits.count("encoding:base64"), 1u);
}

TEST(MailTest, SurvivesWhatIsNoMail) {
  EXPECT_EQ(ParseMail("").text, "\n");
  EXPECT_EQ(ParseMail("no header at all").subject, "");
  EXPECT_EQ(ParseMail(" leading continuation\n\nbody").text, "body\n");
  const std::string nested = "Content-Type: multipart/x; boundary=b\n\n--b\n";
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += nested;
  EXPECT_EQ(ParseMail(deep).subject, "");
}

}  // namespace
}  // namespace spam
