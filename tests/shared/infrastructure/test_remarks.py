"""Which words behind an answer take it back, or say that its list goes on, and which remarks do neither."""

import json
from collections.abc import Iterator

import pytest

from src.shared.domain.exceptions import LLMJsonParseError
from src.shared.infrastructure.llm_json import decode_llm_json

REMARKS = {
    '{"analysts": ["a", "b"], "score": 5, "total": 45.25, "confidence": 0.9}': r"""
I made the list short, ... and more details on request.
Let me know if you want the rest of the analysis.
The remaining budget is not shown in the report.
Would you like me to continue with the rest of the report?
Only the first quarter was audited.
and 3 other analysts agree.
Page 1 of 3
\n...
…
The score uses only the first 2 analysts, the rest was not shown in the table that you sent me.
""",
    '[{"n": 1}, {"n": 2}]': r"""
I made the list short, ... and more details on request.
Let me know if you want the rest of the analysis.
The remaining budget is not shown in the report.
Would you like me to continue with the rest of the report?
\b?
This covers prices, fees, etc. in one list.
Only the first quarter was audited.
and 3 other analysts agree.
\n... and that is all.
... and done!
Truncated to 2 decimals.
Continued fractions are not used.
To be continued.
Part 2 of 3 is about trains.
Part 3 of 3
Step 1 of 3 is done.
The other rows were skipped because they are empty.
Other items were omitted since they do not match the criteria.
The remaining rows are headers.
The rest of the text is about trains and was omitted.
The rest is up to you.
The rest is history.
I only listed the first 2 as you asked.
This only covers the first 3 months.
Showing 2 of 10 results.
And 3 more questions for you: who, when, where?
2 more things: check the dates.
2 more rows would be too many.
Plus 2 more tips.
I can add 5 more if you like.
Do you need 5 more?
Let me know if you need 5 more!
Would you like 5 more?
Should I continue with the next task?
Would you like me to continue with the remaining chapters?
There are no more rows.
All rows are listed, none omitted.
Nothing was omitted.
如有需要，我可以继续分析其余部分。
其余部分请参考附件。
其他指标未列出，因为报告中没有。
还有3个问题想确认：日期、金额、币种。
等等，还需要别的吗？
以下是说明：
以下内容省略了单位。
后面可以继续补充。
usw. ist hier nicht nötig.
Der Rest der Analyse folgt auf Wunsch.
Le reste du rapport n'est pas montré.
残りは後ほどお送りします。
Остальная часть отчёта не показана.
""",
    '{"score": 5, "note": "ok", "price": 3.0, "name": "Acme"}': r"""
Note: score is 5 of 10.
If this does not match your format tell me.
 This fails fast when the network is down.
This fails fast when the network is down.
\b?
 ?\n
This covers prices, fees, etc. in one object.
Update: price is 3
Update: price is 3.
Update: price is 3.00 USD
\nEdit: score is 5
Let me know if anything is wrong or if you'd like me to adjust the score.
Please let me know if this is incorrect.
Please ignore any warnings in the console.
Please ignore the formatting of the note.
Please ignore the above warning, it is harmless.
Ignore that if you already have an account.
Disregard this message if you did not ask.
I misread your first message, so thanks for the reminder.
I misunderstood the question earlier; this is what you asked for.
I should have been clearer: the score is out of 10.
I should have said that the score is out of 10.
I was wrong to assume that earlier, thanks.
I overlooked nothing.
I apologize for any inconvenience.
I apologize for the confusion. The score is out of 10.
I apologize for the delay. The score is final.
Oh, and the name is a placeholder.
Apologies for the wait.
Fails: none
failed tests: 0
Does not include tax.
Does not match any known fraud pattern.
\nfailed validation: none
The answer is incorrect because 2 + 2 = 4.
The answer above is incorrect because 2 + 2 = 4, hence the score.
The above is not the only way to score it.
The above is valid JSON.
The above JSON is correct.
Make it a habit to validate the output.
Making that change is easy.
No further action is needed.
Truncated to 2 decimals.
\n...
注意：价格是估计值。
以上内容仅供参考，不构成投资建议。
以上结果基于公开信息，如有错误请指正。
请忽略之前的格式问题。
请忽略上面的格式问题。
请忽略以上内容中的空格。
抱歉让您久等了。
对不起，回复晚了。
如果您没有提出请求，请忽略以上内容。
如有需要，我可以继续分析其余部分。
评分说明：score 是 5 分（满分 10 分）。
更正式的版本可以另行提供。
Hinweis: Der Preis ist geschätzt.
Das ist nicht falsch, aber knapp.
Falls etwas nicht stimmt, sag Bescheid.
Korrektur gelesen und geprüft.
N'hésitez pas à me dire si le format est incorrect.
Le reste du rapport n'est pas montré.
No olvides que el precio es estimado.
No, el resto es opcional.
Nota: el precio es 3.
Si esto no es correcto, dímelo.
ご不明な点があればお知らせください。
間違いがあればご指摘ください。
확인해 주세요. 틀린 점이 있으면 알려 주세요.
Если что-то неверно, сообщите мне.
Se algo estiver incorreto, me avise.
Fammi sapere se è sbagliato.
The object above has been validated and would not be rejected.
 was accepted.
 matches the schema.
would you like me to change the score?
The name is Acme.
The note is short.
The score should be 5 at least.
""",
    '{"price": 1234.5}': r"""
The price is 1,234.50 dollars.
""",
    '{"price": 1234567}': r"""
The price is 1.2 million.
""",
    '{"price": 1200}': r"""
The price is 1.2 thousand.
The price is 1.2.
""",
    '{"confidence": 0.92}': r"""
The confidence is 92%.
The confidence is 92.
The confidence is 0.9.
""",
    '{"score": 5}': r"""
The score is 5-6 at best.
The score is between 4 and 6.
The score is 5/10.
Score: 5/10
Breakdown:\n- Clarity\n  - Score: 3\n- Depth\n  - Score: 7
- score: 8 would need more sources
The other model's score is 7.
The maximum score is 10.
The average score is 7.
""",
    '{"distance": 5000}': r"""
The distance is 5 km.
The distance is 5.
""",
    '{"items": 2}': r"""
The total is 5.
""",
    '{"total": 45.25}': r"""
The total is 45.
The total is 45.3.
The total is 45.25, of which 7.25 is tax.
""",
    '{"temperature": 20}': r"""
The temperature is 68 in Fahrenheit.
""",
    '{"page": 1, "rows": [1, 2]}': r"""
There are 3 more pages.
""",
    '{"year": 2023}': r"""
The year is 2023 because the report says so.
""",
    '{"analysts": ["a", "b"], "risks": ["x"], "score": 5}': r"""
\n... and 8 more
""",
    '{"summary": "long", "steps": ["one", "two"]}': r"""
I summarised the first part. The remaining part of the document was omitted because it is an appendix.
I hope this helps! Let me know if you want me to continue with the rest.
Note that rows with errors were left out, as you asked.
I only used the first page of the PDF.
""",
    '{"name": "Bob Smith", "score": 5}': r"""
Update: name is Bob Smith
""",
    '{"ratio": 0.5}': r"""
Update: ratio is 0.5
""",
    '{"temperature": 0.7}': r"""
For deterministic results, temperature should be 0.
""",
    '{"level": 2, "next": 3}': r"""
The next level is 3.
""",
    '{"id": 7}': r"""
id is 7 in the database.
""",
    '[{"ticker": "A", "score": 5}, {"ticker": "B", "score": 7}]': r"""
Both scores are out of 10.
The score is 7.
score is 3
Note: I used the first 2 pages only.
Total: 12
The total is 12.
2 rows, 0 omitted.
2 of 10 tickers passed the filter.
8 tickers failed the filter and are not listed.
The remaining tickers did not qualify.
Remaining: 0
Rest assured that all rows are included.
Results were truncated to two decimals.
Output continued to match the schema.
List of abbreviations: etc.
And so on to the next step!
And that's it.
Plus, I checked the dates.
+ sources: 10-K
3 more steps remain: review, sign, send.
1 more thing: check B.
...let me know if that works.
… hope that helps
--- End of part 2 of 2 ---
Part 1/1
(Part 1 of the report covers A.)
Should I continue with the next ticker?
Would you like me to go on with the analysis?
I only included the first 2 rows as requested.
I have only looked at the first 10 pages.
以上为全部结果，其余标的不在范围内。
共2条记录。
还有2条建议：注意汇率。
其余略有差异。
""",
    '["Pizza", "Pasta"]': r"""
...and many more are possible!
These are just 2 of many options.
There are others, too.
""",
    '{"ticker": "A", "score": 5, "risks": ["debt", "rates"]}': r"""
The risks are ordered by size; the rest of the filing is omitted from this view.
- Other risks (legal, FX, etc.)
Score 5 means neutral.
A score of 7 or more is a buy.
If rates fall, the score should be 7.
Last year the score was 7.
Ticker B: the score is 7.
The score is 5 (of 10).
score is 5, not 7
The score is 5, since debt is 7 times EBITDA.
Note that the score is 7 for the sector.
**score** is 5
The score is a 7-point scale.
The score is 7th in the ranking.
The score is 7% above the median.
The score is 0.5 on a scale of 1.
The score is 50%.
The object follows your schema exactly.
The JSON object above contains all fields.
The result above is not investment advice.
The above is not a recommendation.
The above is my own opinion.
This is not the only valid answer.
Sorry for the delay!
Hmm, that was a hard one.
Actually, this was easier than I thought.
Update: none.
Edit: formatting.
Wait for the next report before trading.
Please forget about the older report.
Forget me not.
Strike price: 5
Ignore the risk of rates at your own peril.
Please disregard the earlier version.
Please ignore it if irrelevant.
I take no responsibility.
I misread nothing, I hope.
I made sure to use your format.
I meant no offence with the score.
Make that available to the team.
Make it so.
Errata in the filing were considered.
```text\nscore: 7\n```
以上为A的分析，其余标的不在范围内。
您是指季度数据吗？如果是，请告诉我。
如果以上结果不正确，请告诉我。
上面的分数是5分。
应该是目前最好的结果。
其实分数可以更高。
抱歉，数据截至昨天。
Der Score ist 5 von 10.
Das Ergebnis ist nicht endgültig.
 ist gültig.
ist falsch formatiert? Sag Bescheid.
El resultado es correcto.
C'est faux ? Dites-le-moi.
は以上です。
以上です。
\b</answer>\n\nDone.
\b<|im_end|>
---\n*Confidence: 7*
P.S. The ticker is A.
NB: score is preliminary.
""",
}
"""By the answer, what models write behind it: a remark a line, `\\n` for a line break, a paragraph of its own unless it
begins so, with a blank, or with `\\b` for nothing."""

TAKEN_BACK = {
    '{"score": 5, "note": "ok", "price": 3.0, "name": "Acme"}': r"""
Note: the correct score is 7.
The score is 7.
The score should be 7, not 5.
score is actually 7
Please ignore the above, I have to count again.
Please disregard the above JSON.
Forget that.
Scratch that, it's 7.
Ignore the previous answer.
I misread the text.
I misread the table, sorry.
Oops, I miscounted.
I should have returned 7.
Actually, I was wrong.
I overlooked the discount.
The above is incorrect.
The JSON above is wrong.
The above object is not valid.
 does not satisfy the schema.
 was rejected by the validator
 failed validation
I apologize for the error above. The score is 7.
Update: make that 7.
Update: price is 4
Korrektur: score ist 7.
 ist falsch.
 は間違いです。
 est faux.
请忽略上面的结果。
对不起，我弄错了，应该是 7。
訂正：7
""",
    '[{"n": 1}, {"n": 2}]': r"""
\n... and 8 more
(8 more rows omitted)
Part 1 of 3
 ...
\n...
\b, etc.
 and so on.
\n// ... 8 more items
[truncated]
... (truncated)
Output truncated for brevity.
(continued in the next message)
(remaining rows omitted for brevity)
The remaining 8 rows are omitted for brevity.
The rest of the entries follow the same pattern.
I have only included the first 2 rows.
Note: I only listed the first 2 entries due to length limits.
Would you like me to continue with the remaining 40 entries?
\n（其余略）
\n（以下省略）
还有8条记录未列出。
\n...还有8条
\n```\n... and 8 more
""",
    '{"analysts": ["a", "b"], "score": 5, "total": 45.25, "confidence": 0.9}': r"""
\n... and 8 more
\n(remaining rows omitted)
""",
}
"""The same of what takes an answer back, or says that its list goes on."""


def texts(table: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Each answer with each remark, as it is, behind an announcement, and in a fence."""
    for answer, remarks in table.items():
        for remark in remarks.strip("\n").split("\n"):
            own = "" if remark.startswith((" ", "\\b", "\\n")) else "\n\n"
            behind = own + remark.removeprefix("\\b").replace("\\n", "\n")
            yield answer, answer + behind
            yield answer, f"Here is the answer:\n\n{answer}{behind}"
            if behind.startswith("\n"):
                yield answer, f"```json\n{answer}\n```{behind}"


@pytest.mark.parametrize(("answer", "text"), [*texts(REMARKS)])
def test_remark_behind_an_answer_changes_nothing(answer: str, text: str) -> None:
    assert decode_llm_json(text, root="any").data == json.loads(answer)


@pytest.mark.parametrize(("answer", "text"), [*texts(TAKEN_BACK)])
def test_answer_is_taken_back_or_goes_on(answer: str, text: str) -> None:
    with pytest.raises(LLMJsonParseError, match="left out" if "[" in answer else "take it back"):
        decode_llm_json(text, root="any")


def test_list_that_goes_on_is_kept_when_salvaging() -> None:
    decoded = decode_llm_json('{"rows": [1, 2]}\n... and 8 more', salvage=True)
    assert (decoded.data, decoded.truncated) == ({"rows": [1, 2]}, True)


BEFORE = """
Originally from Germany, the user is {}
Initially the portfolio is {}
Das funktioniert sonst nicht: {}
Bitte vergiss das nicht: {}
Do not forget: {}
I think {}
I believe the answer is {}
The answer could be {}
It should have been {}
Result: ❌ {}
Result: <!-- {} -->
Here it is: /* json */ {}
结果如下：{}
你的意思是要 JSON，结果如下：{}
By that you mean something else, so: {}
The result, which used to be larger, is {}
As you would have been told: the answer is {}
合同草案：{}
案例：{}
Ergebnis: {}
Voici le résultat : {}
Aquí está el ejemplo completo que pediste: {}
I would not say more than {}
You might have been told otherwise, but the answer is {}
What you want would be {}
Do you want JSON? Here: {}
What do you mean by score? I assume: {}
I don't think more is needed: {}
不是别的，就是：{}
例如上次所说，结果：{}
At first glance: {}
Initially: {}
Muster: {}
Antwort: {}
回答：{}
"""
DENIED = """
With a date the answer would have been {}
My answer used to be {}
Initially I would say {}, but no.
I don't think {} is right.
~~{}~~
<del>{}</del>
Entwurf: {}
Did you mean {}?
您是指 {} 吗？
例えば、{} のようになります。
Zum Beispiel {}
下書き：{}
"""
"""What stands around an answer, and around an object that it denies: a text a line."""


@pytest.mark.parametrize("around", BEFORE.strip().split("\n"))
def test_answer_behind_words_that_deny_something_else(around: str) -> None:
    assert decode_llm_json(around.replace("{}", '{"score": 5}')).data == {"score": 5}


@pytest.mark.parametrize("around", DENIED.strip().split("\n"))
def test_denied_object_is_no_answer(around: str) -> None:
    with pytest.raises(LLMJsonParseError, match="deny it"):
        decode_llm_json(around.replace("{}", '{"score": 5}'))
